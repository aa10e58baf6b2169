#include "rpc/grpc_status.h"

#include <string>
#include <string_view>

#include "fmt/format.h"

#include "base/printable.h"
#include "config/documents/problems.h"

namespace tidemill {
namespace {

// Bytes of a text in a header: gRPC writes what is not plain ASCII as "%E2".
size_t HeaderBytes(std::string_view text) {
  size_t bytes = 0;
  for (const char c : text) bytes += c >= ' ' && c <= '~' && c != '%' ? 1 : 3;
  return bytes;
}

// The longest part of whole characters that fits in a header.
std::string_view Fitting(std::string_view message) {
  size_t used = 0;
  for (size_t at = 0; at < message.size();) {
    const auto character = FirstCharacter(message.substr(at));
    const size_t size = character ? character->num_bytes : 1;
    used += HeaderBytes(message.substr(at, size));
    if (used > kMaxReasonBytes) return message.substr(0, at);
    at += size;
  }
  return message;
}

// The findings, when they fit beside the message. Details are sent in base64.
std::string FittingDetails(const absl::Status& status, std::string_view message) {
  const auto findings = status.GetPayload(config::kFindings);
  if (!findings || HeaderBytes(message) + findings->size() * 4 / 3 > kMaxReasonBytes) return "";
  return std::string(*findings);
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  const auto code = static_cast<grpc::StatusCode>(status.code());
  const std::string_view message(status.message().data(), status.message().size());
  const std::string_view kept = Fitting(message);
  if (kept.size() == message.size()) {
    return {code, std::string(message), FittingDetails(status, message)};
  }
  return {code, fmt::format("{} ... (cut here: {} of {} bytes are not shown)", kept,
                            message.size() - kept.size(), message.size())};
}

absl::Status FromGrpc(const grpc::Status& status) {
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  const std::string details = status.error_details();
  if (!details.empty()) result.SetPayload(config::kFindings, absl::Cord(details));
  return result;
}

}  // namespace tidemill

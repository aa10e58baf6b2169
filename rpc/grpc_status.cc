#include "rpc/grpc_status.h"

#include <string>
#include <string_view>

#include "fmt/format.h"

#include "base/printable.h"

namespace tidemill {
namespace {

// Bytes of a character in a header: gRPC writes what is no plain ASCII as "%E2".
size_t HeaderBytes(std::string_view character) {
  size_t bytes = 0;
  for (const char c : character) bytes += c >= ' ' && c <= '~' && c != '%' ? 1 : 3;
  return bytes;
}

// The longest part of whole characters that fits in a header.
std::string_view Fitting(std::string_view message) {
  size_t used = 0;
  for (size_t at = 0; at < message.size();) {
    const auto character = FirstCharacter(message.substr(at));
    const size_t size = character ? character->num_bytes : 1;
    used += HeaderBytes(message.substr(at, size));
    if (used > kMostMessageBytes) return message.substr(0, at);
    at += size;
  }
  return message;
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  const auto code = static_cast<grpc::StatusCode>(status.code());
  const std::string_view message(status.message().data(), status.message().size());
  const std::string_view kept = Fitting(message);
  if (kept.size() == message.size()) return {code, std::string(message)};
  return {code, fmt::format("{} ... (cut here: {} of {} bytes are not shown)", kept,
                            message.size() - kept.size(), message.size())};
}

}  // namespace tidemill

#include "cli/pipelines/network_upload.h"

#include <fstream>
#include <optional>
#include <string>

#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

}  // namespace

absl::Status SendNetwork(const Session& session, const supervisor::DiskFiles::Network& network) {
  supervisor::v1::SendNetworkRequest::Header header;
  header.set_size_bytes(network.size_bytes);
  header.set_digest(network.digest);
  header.set_file_name(network.path);
  std::ifstream file(network.path, std::ios::binary);
  const auto next = [&]() -> absl::StatusOr<std::optional<std::string>> {
    std::string bytes(kPieceBytes, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(file.gcount()));
    if (bytes.empty()) return std::nullopt;
    return bytes;
  };
  absl::Status sent = session.Follow(&supervisor::SupervisorClient::SendNetwork, header, next);
  if (absl::IsDataLoss(sent)) {
    return FailedPrecondition("{} changed while it was sent; run the command again", network.path);
  }
  return Annotate(sent, "sending " + network.path);
}

}  // namespace tidemill::cli

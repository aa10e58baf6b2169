#include "cli/pipelines/network_upload.h"

#include <fstream>
#include <string>

#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

constexpr size_t kPieceBytes = size_t{1} << 20;

// Ends early where the stack takes no more: it has answered.
void Send(const supervisor::DiskFiles::Network& network,
          grpc::ClientWriter<v1::SendNetworkRequest>& writer) {
  v1::SendNetworkRequest message;
  message.mutable_header()->mutable_command()->set_request_id(rpc::NewRequestId());
  message.mutable_header()->set_size_bytes(network.size_bytes);
  message.mutable_header()->set_digest(network.digest);
  message.mutable_header()->set_file_name(network.path);
  std::ifstream file(network.path, std::ios::binary);
  while (writer.Write(message)) {
    std::string& bytes = *message.mutable_bytes();
    bytes.resize(kPieceBytes);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(file.gcount()));
    if (bytes.empty()) return;
  }
}

}  // namespace

absl::Status SendNetwork(const Session& session, const supervisor::DiskFiles::Network& network) {
  const rpc::Peer peer = session.PeerOf("supervisor");
  const auto stub = v1::SupervisorService::NewStub(rpc::Connect(peer));
  grpc::ClientContext context;
  rpc::Prepare(peer, std::chrono::milliseconds{0}, context);
  v1::SendNetworkResponse response;
  const auto writer = stub->SendNetwork(&context, &response);
  Send(network, *writer);
  writer->WritesDone();
  absl::Status sent = FromGrpc(writer->Finish());
  if (absl::IsDataLoss(sent)) {
    return FailedPrecondition("{} changed while it was sent; run the command again", network.path);
  }
  return Annotate(sent, "sending " + network.path);
}

}  // namespace tidemill::cli

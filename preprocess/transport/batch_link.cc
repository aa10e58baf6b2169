#include "preprocess/transport/batch_link.h"

#include "base/files.h"
#include "preprocess/transport/frame_link.h"
#include "preprocess/transport/ring_link.h"

namespace tidemill::preprocess {

namespace {

void AddAccepted(CompressionChoice choice, v1::ReadBatchesRequest::Open& open) {
  open.clear_accepts();
  if (choice == CompressionChoice::kAuto || choice == CompressionChoice::kLz4) {
    open.add_accepts(v1::COMPRESSION_LZ4);
  }
  if (choice == CompressionChoice::kAuto || choice == CompressionChoice::kZstd) {
    open.add_accepts(v1::COMPRESSION_ZSTD);
  }
}

}  // namespace

std::string BootId() {
  absl::StatusOr<std::string> id = files::Read("/proc/sys/kernel/random/boot_id");
  if (!id.ok()) return {};
  while (!id->empty() && id->back() == '\n') id->pop_back();
  return *std::move(id);
}

std::unique_ptr<BatchLink> OpenLink(const rpc::Peer& peer, const v1::Worker& worker,
                                    const v1::ReadBatchesRequest::Open& open,
                                    const LinkOptions& options, LinkHandler handler) {
  rpc::Peer to = peer;
  to.endpoint = worker.endpoint();
  to.service = "preprocess_worker";
  v1::ReadBatchesRequest::Open whole = open;
  *whole.mutable_worker() = worker.incarnation();
  AddAccepted(options.compression, whole);
  const bool is_here = !worker.ring_socket().empty() && worker.boot_id() == BootId();
  const bool use_ring =
      options.transport == Transport::kRing || (options.transport == Transport::kAuto && is_here);
  if (!use_ring) return std::make_unique<FrameLink>(to, whole, std::move(handler));
  return std::make_unique<RingLink>(to, is_here ? worker.ring_socket() : std::string(), whole,
                                    options, std::move(handler));
}

}  // namespace tidemill::preprocess

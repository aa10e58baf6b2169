// How batches come from one worker to a consumer: the consumer's end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "preprocess/transport/batch_message.h"
#include "preprocess/transport/link_options.h"
#include "rpc/channel.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// Since the link was opened.
struct LinkCounters {
  // "ring" or "frames".
  std::string_view transport = {};
  // A ring was possible and failed.
  bool fallback = false;
  int64_t num_batches = 0;
  // Of batches, and of what was sent for them.
  int64_t num_bytes = 0;
  int64_t num_wire_bytes = 0;
  // Batches that came compressed, and how the last one that could have been did:
  // COMPRESSION_UNSPECIFIED for not at all.
  int64_t num_compressed = 0;
  v1::Compression compression = v1::COMPRESSION_UNSPECIFIED;
};

// What a link calls, one call at a time, on a thread of its own or of gRPC's; neither may wait for
// long.
struct LinkHandler {
  // The rows may be views of a ring: their place is free again when the last buffer is dropped,
  // which may be after the link is gone.
  std::function<void(BatchMessage)> batch;
  // The link has ended: OK when the worker had nothing more to send, UNAVAILABLE when it is gone.
  // The last call.
  std::function<void(absl::Status)> ended;
};

// Thread-safe. The destructor ends the link; the handler is not called any more once it returns.
// The handler may grant, and must not destroy the link.
class BatchLink {
 public:
  virtual ~BatchLink() = default;

  // Lets the worker send so many bytes more; `wanted`: by place in the lanes that were opened, the
  // batch that the consumer waits for, which needs no credit.
  virtual void Grant(int64_t bytes, std::span<const int64_t> wanted) = 0;

  virtual LinkCounters counters() const = 0;
};

// Connects to a worker. `peer`: token and TLS for it; its endpoint is taken from `worker`. `open`
// names job and lanes; the rest of it is filled in here. Failing to connect is told by `ended`.
std::unique_ptr<BatchLink> OpenLink(const rpc::Peer& peer, const v1::Worker& worker,
                                    const v1::ReadBatchesRequest::Open& open,
                                    const LinkOptions& options, LinkHandler handler);

// What tells this host, since it was started, from others.
std::string BootId();

}  // namespace tidemill::preprocess

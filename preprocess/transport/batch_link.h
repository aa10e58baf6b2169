// The consumer's end of a link, through which batches come from one worker.
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

// Counted since the link was opened.
struct LinkCounters {
  // "ring" or "frames".
  std::string_view transport = {};
  // Whether a ring was possible and failed.
  bool fallback = false;
  int64_t num_batches = 0;
  // The bytes of batches, and the bytes sent for them.
  int64_t num_bytes = 0;
  int64_t num_wire_bytes = 0;
  // The number of compressed batches, and the compression of the last batch for which it was
  // possible. COMPRESSION_UNSPECIFIED means none.
  int64_t num_compressed = 0;
  v1::Compression compression = v1::COMPRESSION_UNSPECIFIED;
};

// The calls of a link. There is one call at a time, on a thread of the link or of gRPC. Neither
// function may wait for long.
struct LinkHandler {
  // The rows may be views of a ring. Their place becomes free when the last buffer is dropped,
  // which may be after the end of the link.
  std::function<void(BatchMessage)> batch;
  // The link has ended. OK when the worker had no more batches. UNAVAILABLE when the worker is
  // gone. This is the last call.
  std::function<void(absl::Status)> ended;
};

// Thread-safe. The destructor ends the link; the handler is not called any more after it returns.
// The handler may call Grant(). It must not destroy the link.
class BatchLink {
 public:
  virtual ~BatchLink() = default;

  // Allows the worker to send `bytes` more. `wanted` has, for each opened lane in order, the batch
  // that the consumer waits for, which needs no credit.
  virtual void Grant(int64_t bytes, std::span<const int64_t> wanted) = 0;

  virtual LinkCounters counters() const = 0;
};

// Connects to a worker. `peer` has its token and TLS; the endpoint is taken from `worker`. `open`
// names the job and the lanes; the rest of it is filled in here. `ended` is called when the
// connection fails.
std::unique_ptr<BatchLink> OpenLink(const rpc::Peer& peer, const v1::Worker& worker,
                                    const v1::ReadBatchesRequest::Open& open,
                                    const LinkOptions& options, LinkHandler handler);

// Returns an id of this host's current boot.
std::string BootId();

}  // namespace tidemill::preprocess

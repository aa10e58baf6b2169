// The sending end of a stream of frames.
#pragma once

#include <memory>
#include <optional>

#include "grpcpp/support/server_callback.h"

#include "base/status.h"
#include "base/worker_pool.h"

namespace tidemill::rpc {

// What a stream consists of. Used by one thread at a time, but for Cancel().
class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // Makes the next message, which may take as long as it needs; std::nullopt at the end. A failure
  // ends the stream and is its status.
  virtual absl::StatusOr<std::optional<grpc::ByteBuffer>> Next() = 0;

  // Who reads has gone away: a Next() that waits for something may end. Called at most once, from
  // another thread and perhaps in the middle of Next().
  virtual void Cancel() {}
};

// Sends what a source makes, as fast as the reader takes it. While a message is on the wire the one
// behind it is made on the pool, a message at a time, so that streams take turns there. A reader
// that stalls holds no thread, and of memory two messages that were made and the one being sent;
// one that goes away, or a server that stops, ends the stream at once with UNAVAILABLE.
//
// `pool` must outlive the server. The reactor deletes itself, its source in a task of the pool or
// when gRPC is done with it.
grpc::ServerWriteReactor<grpc::ByteBuffer>* SendFrames(WorkerPool& pool,
                                                       std::unique_ptr<FrameSource> source);

}  // namespace tidemill::rpc

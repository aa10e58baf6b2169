// The sending end of a stream of frames.
#pragma once

#include <memory>
#include <optional>

#include "grpcpp/support/server_callback.h"

#include "base/status.h"
#include "base/worker_pool.h"
#include "rpc/stream_budget.h"

namespace tidemill::rpc {

// What a stream consists of. Used by one thread at a time, but for Cancel().
class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // Makes the next message, which may take as long as it needs; std::nullopt at the end. A failure
  // ends the stream and is its status. `most_bytes` is what the message should hold at most, where
  // the source can choose.
  virtual absl::StatusOr<std::optional<grpc::ByteBuffer>> Next(int64_t most_bytes) = 0;

  // What it holds from one message to the next, at least its request.
  virtual int64_t num_bytes_held() const = 0;

  // Who reads has gone away: a Next() that waits for something may end. Called at most once, from
  // another thread and perhaps in the middle of Next().
  virtual void Cancel() {}
};

// What the streams of a service share. Both must outlive its server.
struct Senders {
  WorkerPool& pool;
  StreamBudget& budget;
};

// Sends what a source makes, as fast as the reader takes it, or refuses to where the budget has no
// place for another stream of this caller. While a message is on the wire the one behind it is made
// on the pool, a message at a time, so that streams take turns there. A reader that stalls holds no
// thread, and of memory the message being sent; two more if it has taken some before, and there is
// room for them in the budget. One that goes away, or a server that stops, ends the stream at once
// with UNAVAILABLE.
//
// The reactor deletes itself, its source in a task of the pool or when gRPC is done with it.
grpc::ServerWriteReactor<grpc::ByteBuffer>* SendFrames(const Senders& senders,
                                                       const grpc::CallbackServerContext& context,
                                                       std::unique_ptr<FrameSource> source);

}  // namespace tidemill::rpc

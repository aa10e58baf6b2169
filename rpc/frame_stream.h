// The sending end of a stream of frames.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "grpcpp/grpcpp.h"

#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "base/time.h"
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

// What the streams of a service share. Pool and budget must outlive its server.
struct Senders {
  WorkerPool& pool;
  StreamBudget& budget;
  // In which a request is to come, once the door is open to it.
  Duration request_time{30'000'000};
};

// Makes what answers a request. What is wrong with the request the source says.
using OpenFrames = std::function<std::unique_ptr<FrameSource>(const grpc::ByteBuffer& request)>;

// Handles a method that answers one request with frames, as fast as the reader takes them.
//
// A stream has a place in the budget, or is refused, before its request is read; the requests of a
// method are read a few at a time, each within half a minute or ended with DEADLINE_EXCEEDED, so
// that however many callers send however much, little of it is in memory that the budget does not
// know of. While a message is on the wire the one behind it is made on the pool, a message at a
// time, so that streams take turns there. A reader that stalls holds no thread, and of memory the
// message being sent; two more if it has taken some before, and there is room for them in the
// budget. One that goes away, or a server that stops, ends the stream at once with UNAVAILABLE.
std::unique_ptr<grpc::internal::MethodHandler> NewFrameHandler(const Senders& senders,
                                                               OpenFrames open);

// Place of a method among those of its service. The service has it.
int MethodIndex(std::string_view service, std::string_view method);

// A service of which some methods are handled like that; the generated ones are not called.
template <typename Methods>
class FrameService : public Methods::Service {
 protected:
  // For the constructor of a service.
  void Serve(std::string_view method, const Senders& senders, OpenFrames open) {
    const int index = MethodIndex(Methods::service_full_name(), method);
    // As a stream in both directions, of which the request is read by hand.
    this->MarkMethodStreamed(index, nullptr);
    this->MarkMethodRawCallback(index, NewFrameHandler(senders, std::move(open)).release());
  }
};

}  // namespace tidemill::rpc

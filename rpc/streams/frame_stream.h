// The sending end of a stream of frames.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "grpcpp/grpcpp.h"

#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "base/time.h"
#include "rpc/stream_budget.h"

namespace tidemill::rpc {

// The content of a stream. Used by one thread at a time, except Cancel().
class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // Makes the next message, and may take as long as it needs. Returns std::nullopt at the end. A
  // failure ends the stream and is its status. `most_bytes` is the size to keep to if the source
  // can choose.
  virtual absl::StatusOr<std::optional<grpc::ByteBuffer>> Next(int64_t most_bytes) = 0;

  // Returns the bytes that it holds between messages, including its request.
  virtual int64_t num_bytes_held() const = 0;

  // The reader has gone away, so a waiting Next() may end. Called at most once, from another
  // thread, perhaps during Next().
  virtual void Cancel() {}
};

// The objects that all streams of a service share. The pool and the budget must outlive its server.
struct Senders {
  WorkerPool& pool;
  StreamBudget& budget;
  // The time within which a request must arrive, once the door is open to it.
  Duration request_time{30'000'000};
};

// Makes the source that answers a request. The source reports what is wrong with the request.
using OpenFrames = std::function<std::unique_ptr<FrameSource>(const grpc::ByteBuffer& request)>;

// Handles a method that answers one request with frames, as fast as the reader takes them.
//
// A stream gets a place in the budget, or is refused, before its request is read. The requests of a
// method are read a few at a time. Each must arrive within half a minute, or ends with
// DEADLINE_EXCEEDED. However much callers send, little of it is in memory outside the budget. While
// a message is being sent, the next one is made on the pool, one message at a time, so that streams
// take turns there. A stream whose reader stalls holds no thread, and only the memory of the
// message being sent. If its reader has taken some messages before and the budget has room, it
// holds two more. When a reader goes away, or the server stops, the stream ends at once with
// UNAVAILABLE.
//
// `request` is an empty request of the method: the request of a job is read as one, and refused
// where it is beyond the job's scope (job_scope.h).
std::unique_ptr<grpc::internal::MethodHandler> NewFrameHandler(
    const Senders& senders, const google::protobuf::Message& request, OpenFrames open);

// Returns a method of a service, which must have it.
const google::protobuf::MethodDescriptor& MethodOf(std::string_view service,
                                                   std::string_view method);
// Returns an empty request of a method. It lives as long as the program.
const google::protobuf::Message& RequestOf(const google::protobuf::MethodDescriptor& method);

// A service with methods that are handled this way. Their generated methods are not called.
template <typename Methods>
class FrameService : public Methods::Service {
 protected:
  // For the constructor of a service.
  void Serve(std::string_view method, const Senders& senders, OpenFrames open) {
    const auto& described = MethodOf(Methods::service_full_name(), method);
    const int index = described.index();
    // It is registered as a bidirectional stream, whose request this class reads.
    this->MarkMethodStreamed(index, nullptr);
    this->MarkMethodRawCallback(
        index, NewFrameHandler(senders, RequestOf(described), std::move(open)).release());
  }
};

}  // namespace tidemill::rpc

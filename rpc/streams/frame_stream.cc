#include "rpc/streams/frame_stream.h"

#include <chrono>
#include <deque>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "google/protobuf/descriptor.h"
#include "grpcpp/alarm.h"
#include "grpcpp/impl/codegen/server_callback_handlers.h"

#include "base/check.h"
#include "base/mutex.h"
#include "rpc/callers/job_scope.h"
#include "rpc/grpc_status.h"
#include "rpc/request_door.h"
#include "rpc/streams/byte_frames.h"

namespace tidemill::rpc {

namespace {

// Made and waiting to be sent, beside the one on the wire.
constexpr size_t kMessagesAhead = 2;
// One that is larger waits alone.
constexpr size_t kBytesAhead = size_t{8} << 20;

class FrameStream final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                          public RequestDoor::Visitor,
                          public std::enable_shared_from_this<FrameStream> {
 public:
  FrameStream(const Senders& senders, StreamPermit permit, std::shared_ptr<RequestDoor> door,
              JobScope scope, const google::protobuf::Message& request_type, const OpenFrames& open)
      : pool_(senders.pool),
        request_time_(senders.request_time),
        door_(std::move(door)),
        scope_(std::move(scope)),
        request_type_(request_type),
        open_(open),
        permit_(std::move(permit)) {}

  void Start() {
    self_ = shared_from_this();
    door_->Enter(weak_from_this());
  }

  bool ComeIn() override {
    {
      MutexLock lock(mutex_);
      if (cut_off_) return false;
      reading_ = true;
    }
    const std::chrono::microseconds time(request_time_.micros);
    too_slow_.Set(std::chrono::system_clock::now() + time, [stream = weak_from_this()](bool due) {
      const auto alive = stream.lock();
      if (due && alive != nullptr) alive->GiveUpReading();
    });
    StartRead(&request_);
    return true;
  }

  void OnReadDone(bool ok) override {
    too_slow_.Cancel();
    {
      MutexLock lock(mutex_);
      reading_ = false;
      if (!ok) {
        cut_off_ = true;
      } else if (!end_.has_value()) {
        source_bytes_ = static_cast<int64_t>(request_.Length());
        if (auto admitted = permit_.HoldRequest(source_bytes_); !admitted.ok()) {
          source_bytes_ = 0;
          end_ = std::move(admitted);
        }
      }
      if (!ok || end_.has_value()) request_.Clear();
      has_request_ = true;
    }
    Step();
    door_->Leave();
  }

  void OnWriteDone(bool ok) override {
    {
      MutexLock lock(mutex_);
      writing_ = false;
      sending_.Clear();
      bytes_sending_ = 0;
      if (ok) ++num_taken_;
      if (!ok) cut_off_ = true;
      HoldLess();
    }
    Step();
  }

  void OnCancel() override {
    FrameSource* source = nullptr;
    {
      MutexLock lock(mutex_);
      cut_off_ = true;
      ready_.clear();
      bytes_ready_ = 0;
      HoldLess();
      source = source_.get();
    }
    if (source != nullptr) source->Cancel();
    Step();
  }

  void OnDone() override { self_.reset(); }

 private:
  // The next step, decided under the lock and carried out without it.
  struct Actions {
    bool make = false;
    bool write = false;
    std::optional<absl::Status> end;
  };

  void GiveUpReading() ABSL_LOCKS_EXCLUDED(mutex_) {
    {
      MutexLock lock(mutex_);
      if (!reading_ || end_.has_value()) return;
      end_ = DeadlineExceeded("the request did not come within {}", FormatDuration(request_time_));
    }
    Step();
  }

  Actions Decide() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Actions actions;
    if (finished_) return actions;
    if (!writing_ && (cut_off_ || (ready_.empty() && end_.has_value()))) {
      finished_ = true;
      actions.end = cut_off_ ? Unavailable("the stream was cut off") : *end_;
      return actions;
    }
    if (!writing_ && !ready_.empty()) {
      sending_.Swap(&ready_.front());
      ready_.pop_front();
      bytes_sending_ = sending_.Length();
      bytes_ready_ -= bytes_sending_;
      actions.write = writing_ = true;
    }
    const bool may_make = has_request_ && !making_ && !cut_off_ && !end_.has_value();
    if (may_make && HasRoom()) actions.make = making_ = true;
    return actions;
  }

  // For a reader that has not taken anything yet, only the first message is made.
  bool HasRoom() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!writing_ && ready_.empty()) return true;
    return num_taken_ > 0 && ready_.size() < kMessagesAhead &&
           (ready_.empty() || bytes_ready_ < kBytesAhead) && permit_.MayWorkAhead();
  }

  int64_t NumBytes() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return source_bytes_ + static_cast<int64_t>(bytes_ready_ + bytes_sending_);
  }
  // Never refused.
  void HoldLess() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { permit_.Hold(NumBytes()).IgnoreError(); }

  // gRPC may call back before its functions return; the flags keep that from being done twice.
  void Step() ABSL_LOCKS_EXCLUDED(mutex_) {
    Actions actions;
    {
      MutexLock lock(mutex_);
      actions = Decide();
    }
    // The task is submitted first: after Finish() or a write that fails, this may be gone.
    if (actions.make) pool_.Submit([stream = shared_from_this()] { stream->Make(); });
    if (actions.write) StartWrite(&sending_);
    if (actions.end.has_value()) Finish(ToGrpc(*actions.end));
  }

  void Make() {
    int64_t most_bytes = 0;
    bool is_wanted = true;
    {
      MutexLock lock(mutex_);
      most_bytes = permit_.MessageBytes();
      is_wanted = !cut_off_;
    }
    absl::StatusOr<std::optional<grpc::ByteBuffer>> made;
    absl::Status opened;
    if (is_wanted && source_ == nullptr) opened = Open();
    if (is_wanted) made = opened.ok() ? source_->Next(most_bytes) : opened;
    {
      MutexLock lock(mutex_);
      making_ = false;
      if (source_ != nullptr) source_bytes_ = source_->num_bytes_held();
      if (!made.ok() || !made->has_value()) {
        end_ = made.status();
      } else if (!cut_off_) {
        Keep(**std::move(made));
      }
    }
    Step();
  }

  // PERMISSION_DENIED when the request is beyond the scope of the job that has sent it.
  absl::Status CheckScope() {
    if (!scope_.is_job()) return absl::OkStatus();
    const std::unique_ptr<google::protobuf::Message> request(request_type_.New());
    RETURN_IF_ERROR(FromBytes(request_, *request));
    return scope_.Check(*request);
  }

  // A source that was opened after its caller had gone is cancelled.
  absl::Status Open() ABSL_LOCKS_EXCLUDED(mutex_) {
    RETURN_IF_ERROR(CheckScope());
    std::unique_ptr<FrameSource> source = open_(request_);
    request_.Clear();
    bool has_gone = false;
    {
      MutexLock lock(mutex_);
      source_ = std::move(source);
      source_bytes_ = source_->num_bytes_held();
      HoldLess();
      has_gone = cut_off_;
    }
    if (has_gone) source_->Cancel();
    return absl::OkStatus();
  }

  void Keep(grpc::ByteBuffer message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    bytes_ready_ += message.Length();
    ready_.push_back(std::move(message));
    const absl::Status fits = permit_.Hold(NumBytes());
    if (fits.ok()) return;
    bytes_ready_ -= ready_.back().Length();
    ready_.pop_back();
    end_ = fits;
  }

  WorkerPool& pool_;
  const Duration request_time_;
  const std::shared_ptr<RequestDoor> door_;
  const JobScope scope_;
  const google::protobuf::Message& request_type_;
  const OpenFrames open_;
  grpc::ByteBuffer request_;  // gRPC's while `reading_`, then the task's.
  grpc::Alarm too_slow_;
  // Except for Cancel(), made and used by the single task that runs at a time.
  std::unique_ptr<FrameSource> source_;
  std::shared_ptr<FrameStream> self_;  // gRPC's share, until it is done; the task has its own.
  grpc::ByteBuffer sending_;           // gRPC's while `writing_`.
  Mutex mutex_;
  StreamPermit permit_ ABSL_GUARDED_BY(mutex_);
  int64_t source_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // Its request's, before there is one.
  int64_t num_taken_ ABSL_GUARDED_BY(mutex_) = 0;     // Messages that the reader has made room for.
  std::deque<grpc::ByteBuffer> ready_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ready_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t bytes_sending_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);  // Once the source has ended.
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_request_ ABSL_GUARDED_BY(mutex_) = false;
  bool making_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool cut_off_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

// Ends at once.
class RefusedStream final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit RefusedStream(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

std::unique_ptr<grpc::internal::MethodHandler> NewFrameHandler(
    const Senders& senders, const google::protobuf::Message& request, OpenFrames open) {
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;
  auto begin = [senders, &request, open = std::move(open), door = std::make_shared<RequestDoor>()](
                   grpc::CallbackServerContext* context) -> Reactor* {
    auto permit = senders.budget.Admit(context->peer(), /*request_bytes=*/0);
    if (!permit.ok()) return new RefusedStream(ToGrpc(permit.status()));
    const auto stream = std::make_shared<FrameStream>(senders, *std::move(permit), door,
                                                      JobScope::OfCall(*context), request, open);
    stream->Start();
    return stream.get();
  };
  return std::make_unique<grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer>>(
      std::move(begin));
}

const google::protobuf::MethodDescriptor& MethodOf(std::string_view service,
                                                   std::string_view method) {
  const auto* const found = google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(
      fmt::format("{}.{}", service, method));
  TIDEMILL_CHECK(found != nullptr);
  return *found;
}

const google::protobuf::Message& RequestOf(const google::protobuf::MethodDescriptor& method) {
  return *google::protobuf::MessageFactory::generated_factory()->GetPrototype(method.input_type());
}

}  // namespace tidemill::rpc

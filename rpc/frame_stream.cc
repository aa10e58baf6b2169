#include "rpc/frame_stream.h"

#include <deque>
#include <utility>

#include "base/mutex.h"
#include "rpc/grpc_status.h"

namespace tidemill::rpc {

namespace {

// Made and waiting to be sent, beside the one on the wire.
constexpr size_t kMessagesAhead = 2;
// One that is larger waits alone.
constexpr size_t kBytesAhead = size_t{8} << 20;

class FrameStream final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                          public std::enable_shared_from_this<FrameStream> {
 public:
  FrameStream(WorkerPool& pool, std::unique_ptr<FrameSource> source)
      : pool_(pool), source_(std::move(source)) {}

  void Start() {
    self_ = shared_from_this();
    Step();
  }

  void OnWriteDone(bool ok) override {
    {
      MutexLock lock(mutex_);
      writing_ = false;
      if (!ok) cut_off_ = true;
    }
    Step();
  }

  void OnCancel() override {
    {
      MutexLock lock(mutex_);
      cut_off_ = true;
      ready_.clear();
    }
    source_->Cancel();
    Step();
  }

  void OnDone() override { self_.reset(); }

 private:
  // What is to be done next, decided under the lock and done without it.
  struct Actions {
    bool make = false;
    bool write = false;
    std::optional<absl::Status> end;
  };

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
      bytes_ready_ -= sending_.Length();
      actions.write = writing_ = true;
    }
    const bool has_room =
        ready_.empty() || (ready_.size() < kMessagesAhead && bytes_ready_ < kBytesAhead);
    if (!making_ && !cut_off_ && !end_.has_value() && has_room) actions.make = making_ = true;
    return actions;
  }

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
    absl::StatusOr<std::optional<grpc::ByteBuffer>> made = source_->Next();
    {
      MutexLock lock(mutex_);
      making_ = false;
      if (!made.ok() || !made->has_value()) {
        end_ = made.status();
      } else if (!cut_off_) {
        bytes_ready_ += (*made)->Length();
        ready_.push_back(**std::move(made));
      }
    }
    Step();
  }

  WorkerPool& pool_;
  const std::unique_ptr<FrameSource> source_;  // Used by the one task there is at a time, but for
                                               // Cancel().
  std::shared_ptr<FrameStream> self_;  // gRPC's share, until it is done; the task has its own.
  grpc::ByteBuffer sending_;           // gRPC's while `writing_`.
  Mutex mutex_;
  std::deque<grpc::ByteBuffer> ready_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ready_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);  // Once the source has ended.
  bool making_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool cut_off_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

grpc::ServerWriteReactor<grpc::ByteBuffer>* SendFrames(WorkerPool& pool,
                                                       std::unique_ptr<FrameSource> source) {
  const auto stream = std::make_shared<FrameStream>(pool, std::move(source));
  FrameStream* const reactor = stream.get();
  reactor->Start();
  return reactor;
}

}  // namespace tidemill::rpc

#include "preprocess/transport/frame_sender.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <utility>

#include "base/mutex.h"
#include "preprocess/transport/batch_frame.h"
#include "rpc/grpc_status.h"
#include "rpc/streams/byte_frames.h"

namespace tidemill::preprocess {

namespace {

using Clock = std::chrono::steady_clock;

// Encoded and waiting to be sent, beside the one on the wire.
constexpr size_t kMessagesAhead = 2;

std::vector<v1::Compression> AcceptedBy(const v1::ReadBatchesRequest::Open& open) {
  std::vector<v1::Compression> accepted;
  for (const int compression : open.accepts()) {
    accepted.push_back(static_cast<v1::Compression>(compression));
  }
  return accepted;
}

class FrameSender final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                          public std::enable_shared_from_this<FrameSender> {
 public:
  FrameSender(OutboxProvider& provider, WorkerPool& pool, rpc::JobScope scope)
      : provider_(provider), pool_(pool), scope_(std::move(scope)) {}

  void Start() {
    self_ = shared_from_this();
    StartRead(&incoming_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return CutOff();
    v1::ReadBatchesRequest request;
    if (absl::Status status = rpc::FromBytes(incoming_, request); !status.ok()) {
      return End(std::move(status));
    }
    const std::shared_ptr<Outbox> outbox = OpenOutbox();
    if (request.has_open() == (outbox != nullptr)) {
      return End(InvalidArgument("a stream is opened only once, by its first request"));
    }
    if (outbox == nullptr) {
      {
        MutexLock lock(mutex_);
        opening_ = true;
      }
      pool_.Submit([stream = shared_from_this(), open = request.open()] { stream->Open(open); });
      return;
    }
    if (request.credit_bytes() < 0) return End(InvalidArgument("credit must not be negative"));
    outbox->Grant(request.credit_bytes(),
                  {request.wanted().data(), static_cast<size_t>(request.wanted_size())});
    StartRead(&incoming_);
  }

  void OnWriteDone(bool ok) override {
    {
      MutexLock lock(mutex_);
      writing_ = false;
      if (policy_.has_value()) {
        const std::chrono::duration<double> time = Clock::now() - write_began_;
        policy_->Written(static_cast<int64_t>(bytes_sending_), time.count());
      }
    }
    if (!ok) return CutOff();
    Step();
  }

  void OnCancel() override { CutOff(); }
  void OnDone() override { self_.reset(); }

 private:
  // The next step, decided under the lock and carried out without it.
  struct Actions {
    bool make = false;
    bool write = false;
    std::optional<absl::Status> end;
  };

  std::shared_ptr<Outbox> OpenOutbox() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    return outbox_;
  }

  // Until it returns, the stream is not finished: it reads on from here.
  void Open(const v1::ReadBatchesRequest::Open& open) {
    absl::StatusOr<std::shared_ptr<Outbox>> opened = provider_.Open(open, scope_);
    bool reads_on = false;
    {
      MutexLock lock(mutex_);
      if (opened.ok()) {
        outbox_ = *opened;
        policy_.emplace(AcceptedBy(open));
      } else if (!end_.has_value()) {
        end_ = opened.status();
      }
      reads_on = opened.ok() && !cut_off_;
    }
    if (opened.ok()) {
      if (reads_on) {
        (*opened)->Listen([weak = weak_from_this()] {
          if (const auto stream = weak.lock()) stream->LookAgain();
        });
        StartRead(&incoming_);
      } else {
        (*opened)->Close(Unavailable("the consumer is gone"));
      }
    }
    {
      MutexLock lock(mutex_);
      opening_ = false;
      look_again_ = true;
    }
    Step();
  }

  // A consumer that stops granting credit wants nothing more.
  void CutOff() {
    std::shared_ptr<Outbox> outbox;
    {
      MutexLock lock(mutex_);
      cut_off_ = true;
      ready_.clear();
      outbox = outbox_;
    }
    if (outbox != nullptr) outbox->Close(Unavailable("the consumer is gone"));
    Step();
  }

  // Frames that were encoded earlier are sent first.
  void End(absl::Status why) {
    std::shared_ptr<Outbox> outbox;
    {
      MutexLock lock(mutex_);
      if (!end_.has_value()) end_ = why;
      outbox = outbox_;
    }
    if (outbox != nullptr) outbox->Close(std::move(why));
    Step();
  }

  void LookAgain() {
    {
      MutexLock lock(mutex_);
      look_again_ = true;
    }
    Step();
  }

  Actions Decide() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Actions actions;
    if (finished_ || opening_) return actions;
    const bool is_drained = ready_.empty() && !making_ && end_.has_value();
    if (!writing_ && (cut_off_ || is_drained)) {
      finished_ = true;
      // The status of a stream that was cut off is not read, so it must not be logged.
      actions.end = cut_off_ ? absl::OkStatus() : *end_;
      return actions;
    }
    if (!writing_ && !ready_.empty()) {
      sending_.Swap(&ready_.front());
      ready_.pop_front();
      bytes_sending_ = sending_.Length();
      write_began_ = Clock::now();
      actions.write = writing_ = true;
    }
    const bool may_make = outbox_ != nullptr && !making_ && !cut_off_ && !end_.has_value();
    if (may_make && look_again_ && ready_.size() < kMessagesAhead) {
      look_again_ = false;
      actions.make = making_ = true;
    }
    return actions;
  }

  // gRPC may call back before its functions return; the flags keep that from being done twice.
  void Step() ABSL_LOCKS_EXCLUDED(mutex_) {
    // After Finish() or a write that fails, gRPC's share may be gone.
    const auto keep = shared_from_this();
    while (true) {
      Actions actions;
      {
        MutexLock lock(mutex_);
        actions = Decide();
      }
      if (actions.write) StartWrite(&sending_);
      if (actions.end.has_value()) Finish(ToGrpc(*actions.end));
      if (!actions.make) return;
      Make();
    }
  }

  // Takes one message and encodes it, here where that copies nothing, else on the pool.
  void Make() {
    const std::shared_ptr<Outbox> outbox = OpenOutbox();
    std::optional<BatchMessage> message = outbox->Take();
    if (!message.has_value()) {
      const std::optional<absl::Status> closed = outbox->closed();
      MutexLock lock(mutex_);
      making_ = false;
      if (closed.has_value() && !end_.has_value()) end_ = *closed;
      return;
    }
    CompressionPolicy::Plan plan;
    {
      MutexLock lock(mutex_);
      plan = policy_->Next(BytesOf(*message));
    }
    if (plan.use == v1::COMPRESSION_UNSPECIFIED && plan.probe == v1::COMPRESSION_UNSPECIFIED) {
      return Encode(*message, plan);
    }
    pool_.Submit([stream = shared_from_this(), plan,
                  shared = std::make_shared<BatchMessage>(*std::move(message))] {
      stream->Encode(*shared, plan);
      stream->Step();
    });
  }

  void Encode(const BatchMessage& message, const CompressionPolicy::Plan& plan) {
    absl::StatusOr<EncodedFrames> frames = EncodeFrames(message, plan);
    if (!frames.ok()) {
      {
        MutexLock lock(mutex_);
        making_ = false;
      }
      return End(frames.status());
    }
    MutexLock lock(mutex_);
    making_ = false;
    look_again_ = true;
    for (const EncodingCost& cost : frames->costs) {
      policy_->Encoded(cost.compression, cost.bytes, cost.compressed_bytes, cost.seconds);
    }
    if (cut_off_) return;
    std::ranges::move(frames->messages, std::back_inserter(ready_));
  }

  OutboxProvider& provider_;
  WorkerPool& pool_;
  const rpc::JobScope scope_;
  std::shared_ptr<FrameSender> self_;  // gRPC's share, until it is done; tasks have their own.
  grpc::ByteBuffer incoming_;          // gRPC's while it reads.
  grpc::ByteBuffer sending_;           // gRPC's while `writing_`.
  Mutex mutex_;
  std::shared_ptr<Outbox> outbox_ ABSL_GUARDED_BY(mutex_);
  std::optional<CompressionPolicy> policy_ ABSL_GUARDED_BY(mutex_);
  std::deque<grpc::ByteBuffer> ready_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_sending_ ABSL_GUARDED_BY(mutex_) = 0;
  Clock::time_point write_began_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);  // Once nothing more is to come.
  bool opening_ ABSL_GUARDED_BY(mutex_) = false;
  // The outbox may have something that it did not have when it was asked last.
  bool look_again_ ABSL_GUARDED_BY(mutex_) = false;
  bool making_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool cut_off_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* SendBatches(OutboxProvider& provider,
                                                                         WorkerPool& pool,
                                                                         rpc::JobScope scope) {
  const auto stream = std::make_shared<FrameSender>(provider, pool, std::move(scope));
  FrameSender* const reactor = stream.get();
  reactor->Start();
  return reactor;
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* WorkerFace::ReadBatches(
    grpc::CallbackServerContext* context) {
  return SendBatches(provider_, pool_, rpc::JobScope::OfCall(*context));
}

}  // namespace tidemill::preprocess

// What a worker has made for one consumer and has not sent yet.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "preprocess/transport/batch_message.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// A queue between those who make batches and the link that sends them. A message may be taken while
// credit is left, which its bytes then lessen, perhaps below 0; or when it is the one that the
// consumer waits for, which needs no credit: else batches further ahead could hold all of it and
// nothing would move any more. Thread-safe.
class Outbox {
 public:
  // `lanes`: those that the consumer reads.
  explicit Outbox(std::vector<int32_t> lanes);

  // Never waits. Dropped once closed.
  void Put(BatchMessage message) ABSL_LOCKS_EXCLUDED(mutex_);

  // More bytes may be sent; `wanted`: by place in lanes(), the batch the consumer waits for. Places
  // that it does not reach stay as they were.
  void Grant(int64_t bytes, std::span<const int64_t> wanted) ABSL_LOCKS_EXCLUDED(mutex_);

  // A message that may be sent now: the wanted one, else the one put first; std::nullopt when there
  // is none.
  std::optional<BatchMessage> Take() ABSL_LOCKS_EXCLUDED(mutex_);
  // The wanted one alone: for a link that has no room for others.
  std::optional<BatchMessage> TakeWanted() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether it is the one that the consumer waits for by now, for a link that has taken it.
  bool IsWanted(const BatchMessage& message) const ABSL_LOCKS_EXCLUDED(mutex_);

  // `ready` is called, without a lock held, whenever Take() may give something that it did not
  // before, and once the outbox is closed; at most one listener, nullptr for none. It runs on the
  // thread of whoever put, granted or closed. After Listen() returns, the listener before is not
  // called any more; hence Listen() must not be called by a listener.
  void Listen(std::function<void()> ready) ABSL_LOCKS_EXCLUDED(mutex_);

  // Nothing more will come: what is in it is dropped. `why` is the status that the link ends with;
  // OK at the regular end. The first call counts.
  void Close(absl::Status why) ABSL_LOCKS_EXCLUDED(mutex_);
  // The status it was closed with; std::nullopt while it is open.
  std::optional<absl::Status> closed() const ABSL_LOCKS_EXCLUDED(mutex_);

  const std::vector<int32_t>& lanes() const { return lanes_; }
  // Of the messages in it.
  int64_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

  // How long there was something in it that the consumer had given credit for, so that only the
  // link kept it from going, of all the time since it was made. Nanoseconds.
  struct LinkTime {
    int64_t busy_ns = 0;
    int64_t total_ns = 0;
  };
  LinkTime link_time() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool IsWantedNow(const BatchMessage& message) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether Take() gives something.
  bool HasSome() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<BatchMessage> TakeAt(std::deque<BatchMessage>::iterator found)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CallListener() ABSL_LOCKS_EXCLUDED(mutex_);
  // To be called after each change of messages or credit.
  void NoteTime() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  using Clock = std::chrono::steady_clock;
  const Clock::time_point made_ = Clock::now();
  const std::vector<int32_t> lanes_;
  mutable Mutex mutex_;
  CondVar calls_ended_;
  std::deque<BatchMessage> messages_ ABSL_GUARDED_BY(mutex_);
  std::vector<int64_t> wanted_ ABSL_GUARDED_BY(mutex_);
  int64_t credit_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<absl::Status> closed_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> ready_ ABSL_GUARDED_BY(mutex_);
  Clock::duration busy_ ABSL_GUARDED_BY(mutex_) = Clock::duration::zero();
  std::optional<Clock::time_point> busy_since_ ABSL_GUARDED_BY(mutex_);
  int num_calls_ ABSL_GUARDED_BY(mutex_) = 0;  // Of listeners, running now.
};

// Where a worker's links get their outboxes. Thread-safe.
class OutboxProvider {
 public:
  virtual ~OutboxProvider() = default;
  // The outbox of a consumer that has connected, shared between the link and those who fill it.
  // When the link breaks it closes the outbox, from which the worker learns it. NOT_FOUND for an
  // unknown job; FAILED_PRECONDITION when this is not the worker that was asked for. May take as
  // long as a call to the dispatcher.
  virtual absl::StatusOr<std::shared_ptr<Outbox>> Open(
      const v1::ReadBatchesRequest::Open& request) = 0;
};

}  // namespace tidemill::preprocess

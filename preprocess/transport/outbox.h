// Holds the batches that a worker has made for one consumer and not sent yet.
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
#include "rpc/callers/job_scope.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// A queue between the makers of batches and the link that sends them. A message may be taken while
// credit is left. Its bytes reduce the credit, perhaps below 0. The batch that the consumer waits
// for may always be taken, without credit. Otherwise later batches could hold all credit, and the
// stream would deadlock. Thread-safe.
class Outbox {
 public:
  // `lanes` are those that the consumer reads.
  explicit Outbox(std::vector<int32_t> lanes);

  // Never waits. A message is dropped after Close().
  void Put(BatchMessage message) ABSL_LOCKS_EXCLUDED(mutex_);

  // Allows `bytes` more to be sent. `wanted` has, for each of lanes() in order, the batch that the
  // consumer waits for. Lanes beyond its end keep their wanted batches.
  void Grant(int64_t bytes, std::span<const int64_t> wanted) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns a message that may be sent now: the wanted one, else the oldest. std::nullopt when
  // there is none.
  std::optional<BatchMessage> Take() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns only the wanted message, for a link that has no room for others.
  std::optional<BatchMessage> TakeWanted() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the consumer now waits for this message, for a link that has taken it.
  bool IsWanted(const BatchMessage& message) const ABSL_LOCKS_EXCLUDED(mutex_);

  // `ready` is called, without a lock held, when Take() may return something that it did not
  // before, and when the outbox is closed. There is at most one listener; nullptr for none. It runs
  // on the thread that called Put(), Grant() or Close(). After Listen() returns, the previous
  // listener is not called any more. Therefore a listener must not call Listen().
  void Listen(std::function<void()> ready) ABSL_LOCKS_EXCLUDED(mutex_);

  // Closes the outbox and drops its messages. `why` is the status that the link ends with; it is OK
  // at the regular end. Only the first call counts.
  void Close(absl::Status why) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the status of Close(); std::nullopt while it is open.
  std::optional<absl::Status> closed() const ABSL_LOCKS_EXCLUDED(mutex_);

  const std::vector<int32_t>& lanes() const { return lanes_; }
  // The bytes of the waiting messages.
  int64_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

  // `busy_ns` is the time for which a message with credit was waiting, so that only the link held
  // it up. `total_ns` is the time since the outbox was made.
  struct LinkTime {
    int64_t busy_ns = 0;
    int64_t total_ns = 0;
  };
  LinkTime link_time() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool IsWantedNow(const BatchMessage& message) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether Take() would return something.
  bool HasSome() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<BatchMessage> TakeAt(std::deque<BatchMessage>::iterator found)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CallListener() ABSL_LOCKS_EXCLUDED(mutex_);
  // Call it after each change of messages or credit.
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
  int num_calls_ ABSL_GUARDED_BY(mutex_) = 0;  // Running calls of listeners.
};

// Gives outboxes to the links of a worker. Thread-safe.
class OutboxProvider {
 public:
  virtual ~OutboxProvider() = default;
  // Called before Open() by a link that has more to prepare, so that opening the job can begin
  // meanwhile. Returns at once.
  virtual void Expect(const v1::ReadBatchesRequest::Open& request) { (void)request; }
  // Returns the outbox of a consumer that has connected. The link and the threads that fill it
  // share it. When the link breaks, it closes the outbox, and the worker notices. NOT_FOUND when
  // the job is unknown. FAILED_PRECONDITION when the consumer wants to connect to another worker.
  // PERMISSION_DENIED when the job is beyond the consumer's scope. May take as long as a call to
  // the dispatcher.
  virtual absl::StatusOr<std::shared_ptr<Outbox>> Open(const v1::ReadBatchesRequest::Open& request,
                                                       const rpc::JobScope& scope) = 0;
};

}  // namespace tidemill::preprocess

// Batches, outboxes and a consumer for tests of links.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "preprocess/transport/batch_link.h"
#include "preprocess/transport/outbox.h"

namespace tidemill::preprocess::testing {

// Credit for more bytes than any test sends.
inline constexpr int64_t kPlenty = int64_t{1} << 40;

// Of about so many bytes, a function of its arguments alone; nothing in it repeats itself.
BatchMessage MakeMessage(int32_t lane, int64_t number, int64_t bytes, int32_t attempt = 1);
// As above, of few different bytes.
BatchMessage MakeCompressible(int32_t lane, int64_t number, int64_t bytes);
// All of whose samples were skipped.
BatchMessage MakeEmpty(int32_t lane, int64_t number, std::string reason);

// All that a message says, its rows encoded.
std::string TextOf(const BatchMessage& message);

// Gives out an outbox a request. Thread-safe.
class TestOutboxes final : public OutboxProvider {
 public:
  absl::StatusOr<std::shared_ptr<Outbox>> Open(const v1::ReadBatchesRequest::Open& request) override
      ABSL_LOCKS_EXCLUDED(mutex_);

  // What every request is refused with from now on.
  void Refuse(absl::Status why) ABSL_LOCKS_EXCLUDED(mutex_);
  // Called with each new outbox, before a link sees it.
  void OnOpen(std::function<void(Outbox&)> fill) ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits for the one that was opened as the `index`-th.
  std::shared_ptr<Outbox> Await(size_t index = 0) ABSL_LOCKS_EXCLUDED(mutex_);
  // As it was asked for.
  v1::ReadBatchesRequest::Open RequestOf(size_t index) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  absl::Status refusal_ ABSL_GUARDED_BY(mutex_);
  std::function<void(Outbox&)> fill_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Outbox>> outboxes_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::ReadBatchesRequest::Open> requests_ ABSL_GUARDED_BY(mutex_);
};

// Waits until the outbox is closed and returns why. Takes the listener's place.
absl::Status AwaitClosed(const Outbox& outbox);

// Takes what a link hands on. Must outlive the link. Thread-safe.
class Received {
 public:
  LinkHandler Handler();

  // Waits until so many have arrived in all, or the link has ended.
  void AwaitCount(size_t count) ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits for the end.
  absl::Status AwaitEnd() ABSL_LOCKS_EXCLUDED(mutex_);

  size_t count() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes those that are here, in the order of their arrival.
  std::vector<BatchMessage> Take() ABSL_LOCKS_EXCLUDED(mutex_);
  // Calls of `ended`, and calls of any kind after it.
  int num_ends() const ABSL_LOCKS_EXCLUDED(mutex_);
  int num_calls_after_end() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<BatchMessage> messages_ ABSL_GUARDED_BY(mutex_);
  size_t count_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
  int num_ends_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_calls_after_end_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Descriptors that this process has open.
int NumOpenDescriptors();

}  // namespace tidemill::preprocess::testing

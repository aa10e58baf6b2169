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

// Returns a message of about `bytes`. It is a function of its arguments alone, and nothing in it
// repeats.
BatchMessage MakeMessage(int32_t lane, int64_t number, int64_t bytes, int32_t attempt = 1);
// Does the same with few different bytes.
BatchMessage MakeCompressible(int32_t lane, int64_t number, int64_t bytes);
// Returns a message all of whose samples were skipped.
BatchMessage MakeEmpty(int32_t lane, int64_t number, std::string reason);

// Returns everything in a message, with its rows encoded.
std::string TextOf(const BatchMessage& message);

// Gives each request an outbox. Thread-safe.
class TestOutboxes final : public OutboxProvider {
 public:
  absl::StatusOr<std::shared_ptr<Outbox>> Open(const v1::ReadBatchesRequest::Open& request,
                                               const rpc::JobScope& scope) override
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Refuses every request with this status from now on.
  void Refuse(absl::Status why) ABSL_LOCKS_EXCLUDED(mutex_);
  // Called with each new outbox, before a link sees it.
  void OnOpen(std::function<void(Outbox&)> fill) ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits for the outbox that was opened as number `index`.
  std::shared_ptr<Outbox> Await(size_t index = 0) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the request for that outbox.
  v1::ReadBatchesRequest::Open RequestOf(size_t index) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  absl::Status refusal_ ABSL_GUARDED_BY(mutex_);
  std::function<void(Outbox&)> fill_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Outbox>> outboxes_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::ReadBatchesRequest::Open> requests_ ABSL_GUARDED_BY(mutex_);
};

// Waits until the outbox is closed, and returns the reason. Replaces the listener.
absl::Status AwaitClosed(const Outbox& outbox);

// Takes what a link delivers. Must outlive the link. Thread-safe.
class Received {
 public:
  LinkHandler Handler();

  // Waits until `count` messages have arrived in all, or the link has ended.
  void AwaitCount(size_t count) ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits for the end.
  absl::Status AwaitEnd() ABSL_LOCKS_EXCLUDED(mutex_);

  size_t count() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes the current messages, in the order of their arrival.
  std::vector<BatchMessage> Take() ABSL_LOCKS_EXCLUDED(mutex_);
  // The number of calls of `ended`, and of calls of any kind after it.
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

// Returns the number of descriptors that this process has open.
int NumOpenDescriptors();

}  // namespace tidemill::preprocess::testing

// A job as a worker has it: what it takes to make its batches, and where they go.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "loader/batches/batch_maker.h"
#include "preprocess/client/job_spec.h"
#include "preprocess/client/set_division.h"
#include "preprocess/transport/outbox.h"

namespace tidemill::preprocess {

// A job opened: its training set is read, its graph built.
struct OpenedJob {
  JobSpec spec;
  loader::BatchParts parts;
  SetDivision division = {};
};

// Thread-safe.
class WorkerJob {
 public:
  // Opens the job; called once, without a lock, by whoever needs it first.
  using Opener = std::function<absl::StatusOr<OpenedJob>()>;
  explicit WorkerJob(Opener open) : open_(std::move(open)) {}

  // What makes a lane's batches, once the job is opened. The same failure each time when it cannot
  // be. INVALID_ARGUMENT for a lane that there is not.
  absl::StatusOr<std::shared_ptr<const loader::BatchMaker>> MakerOf(int32_t lane)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // JobSpec.slow_after of a job that is open.
  std::chrono::microseconds slow_after() const ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on the batches of its lanes go there; what was made before for them, too. The outbox
  // that a lane had before is closed.
  void Attach(const std::shared_ptr<Outbox>& outbox) ABSL_LOCKS_EXCLUDED(mutex_);

  // A batch for its lane's consumer, or, before one is connected, for the one that will be. Returns
  // false, and drops it, when the consumer is gone.
  bool Put(BatchMessage message) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends all its outboxes. The first call counts for later consumers, too, unless it is OK.
  void Close(const absl::Status& why) ABSL_LOCKS_EXCLUDED(mutex_);

  // What making and sending took since the job was opened, with so many threads.
  loader::PathWork work(int num_threads) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Of batches made and not sent.
  int64_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

  // A split of about so many bytes is being made.
  void BeginSplit(int64_t bytes);
  // Bytes of the largest that was; 0 before the first.
  int64_t split_bytes() const { return split_bytes_; }

 private:
  absl::Status Open() ABSL_LOCKS_EXCLUDED(mutex_);

  const Opener open_;
  std::atomic<int64_t> split_bytes_ = 0;
  const int64_t opened_ns_ = transform::ThreadTime::WallNow();
  mutable Mutex mutex_;
  CondVar opened_;
  bool is_opening_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::StatusOr<OpenedJob>> job_ ABSL_GUARDED_BY(mutex_);
  // Shared with those who make late rows.
  std::map<int32_t, std::shared_ptr<const loader::BatchMaker>> makers_ ABSL_GUARDED_BY(mutex_);
  std::map<int32_t, std::shared_ptr<Outbox>> outboxes_ ABSL_GUARDED_BY(mutex_);  // By lane.
  std::map<int32_t, std::deque<BatchMessage>> early_ ABSL_GUARDED_BY(mutex_);
  int64_t early_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::preprocess

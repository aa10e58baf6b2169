// A worker's view of a job: the makers of its batches, and the outboxes of its consumers.
#pragma once

#include <atomic>
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
#include "base/usage/account.h"
#include "loader/batches/batch_maker.h"
#include "loader/path/path_clock.h"
#include "preprocess/client/job_spec.h"
#include "preprocess/client/set_division.h"
#include "preprocess/transport/outbox.h"
#include "rpc/callers/job_scope.h"

namespace tidemill::preprocess {

// An opened job: its training set is read and its graph is built.
struct OpenedJob {
  JobSpec spec;
  loader::BatchParts parts;
  SetDivision division = {};
  // The process that made it (rpc::JobClaims); empty when a service did.
  std::string holder = {};
};

// Thread-safe.
class WorkerJob {
 public:
  // Opens the job. It is called once, without a lock, by the first thread that needs it.
  using Opener = std::function<absl::StatusOr<OpenedJob>()>;
  // `num_threads` make batches, of this job and of others.
  WorkerJob(Opener open, int num_threads) : open_(std::move(open)), clock_(num_threads) {}

  // Returns the maker of a lane's batches, which lives as long as this object, once the job is
  // opened. When the job cannot be opened, every call returns the same failure. INVALID_ARGUMENT
  // when there is no such lane.
  absl::StatusOr<const loader::BatchMaker*> MakerOf(int32_t lane) ABSL_LOCKS_EXCLUDED(mutex_);

  // PERMISSION_DENIED when the caller is another job than the one that made this one. Returns the
  // failure of a job that cannot be opened.
  absl::Status Admit(const rpc::JobScope& caller) ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on, the batches of the outbox's lanes go there, including those made before. An
  // earlier outbox of a lane is closed.
  void Attach(const std::shared_ptr<Outbox>& outbox) ABSL_LOCKS_EXCLUDED(mutex_);

  // Puts a batch for the consumer of its lane or, before one has connected, for the future one.
  // Returns false, and drops the batch, when the consumer is gone.
  bool Put(BatchMessage message) ABSL_LOCKS_EXCLUDED(mutex_);

  // Closes all its outboxes. The first call also applies to later consumers, unless its status is
  // OK.
  void Close(const absl::Status& why) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the work of making and sending since this object was made.
  loader::PathWork work() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The resources that the worker has used for the job since this object was made.
  const std::shared_ptr<usage::Account>& account() const { return account_; }

  // The bytes of batches that are made and not sent.
  int64_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Records that a split of about `bytes` is being made.
  void BeginSplit(int64_t bytes);
  // The bytes of the largest split so far; 0 before the first.
  int64_t split_bytes() const { return split_bytes_; }

 private:
  absl::Status Open() ABSL_LOCKS_EXCLUDED(mutex_);

  const Opener open_;
  std::atomic<int64_t> split_bytes_ = 0;
  const loader::PathClock clock_;
  const std::shared_ptr<usage::Account> account_ = std::make_shared<usage::Account>();
  mutable Mutex mutex_;
  CondVar opened_;
  bool is_opening_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::StatusOr<OpenedJob>> job_ ABSL_GUARDED_BY(mutex_);
  std::map<int32_t, std::unique_ptr<const loader::BatchMaker>> makers_ ABSL_GUARDED_BY(mutex_);
  std::map<int32_t, std::shared_ptr<Outbox>> outboxes_ ABSL_GUARDED_BY(mutex_);  // By lane.
  std::map<int32_t, std::deque<BatchMessage>> early_ ABSL_GUARDED_BY(mutex_);
  int64_t early_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::preprocess

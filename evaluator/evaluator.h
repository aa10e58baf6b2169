// Runs evaluations. Every job is recorded before it starts, and every window when it is measured. A
// restart therefore continues with the missing windows.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "db/database.h"
#include "evaluator/evaluations_table.h"
#include "evaluator/job_execution.h"
#include "evaluator/job_runner.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"

namespace tidemill::evaluator {

// Thread-safe. The destructor stops the running jobs. The next Evaluator on the same database
// resumes them.
//
// A model that cannot be loaded, or a window that cannot be read, has no value. The job's error
// says why, and the job is DONE all the same. A job is FAILED in three cases: nothing at all was
// measured; kMaxAttempts of its processes in a row ended without measuring a window; or its spec
// cannot be used.
class Evaluator {
 public:
  static constexpr int kMaxAttempts = 3;

  // Migrates the schema. At most `num_jobs` jobs run at once. `database` must outlive this object.
  static absl::StatusOr<std::unique_ptr<Evaluator>> Open(db::Database& database, int num_jobs,
                                                         JobRunner run_job);
  ~Evaluator();

  // Queues the jobs that an earlier process did not finish.
  absl::Status Resume() ABSL_LOCKS_EXCLUDED(mutex_);

  // Queues a job. Does nothing when the job is queued, running or done. A job that FAILED is tried
  // again, with the windows that are missing or incomplete. INVALID_ARGUMENT when the spec does not
  // decode. FAILED_PRECONDITION when the command is of an earlier epoch.
  absl::Status Start(const v1::StartEvaluationRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls `send` with the present state and with every change until the job is DONE or FAILED.
  // Several changes may come as one. Ends early when `send` returns false. It also ends early when
  // `alive` does, which is asked now and then. NOT_FOUND when the job was never started.
  // UNAVAILABLE when the evaluator stops.
  absl::Status Watch(const JobKey& job,
                     const std::function<bool(const v1::WatchEvaluationResponse&)>& send,
                     const std::function<bool()>& alive) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the evaluations in the order (evaluation, model, window, measure).
  absl::StatusOr<std::vector<v1::Evaluation>> List(RunId run);

  // Stops the jobs of the command's run and deletes everything about them. Returns their number.
  // Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command) ABSL_LOCKS_EXCLUDED(mutex_);

  // Stops the running jobs and ends the watches.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A job that is queued or running. mutex_ guards all fields except `stop`.
  struct LiveJob {
    v1::WatchEvaluationResponse progress;
    int64_t version = 0;  // The version of `progress`.
    // Whether the job was started again after it had been recorded as FAILED.
    bool reopened = false;
    std::stop_source stop = {};
  };
  using ProgressChange = std::function<void(v1::WatchEvaluationResponse&)>;

  Evaluator(db::Database& database, int num_jobs, JobRunner run_job);
  void Enqueue(const JobKey& key, const JobRow& row, bool reopened) ABSL_LOCKS_EXCLUDED(mutex_);
  void RunToEnd(const JobKey& key, LiveJob& live) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status RunAttempts(const JobKey& key, LiveJob& live) ABSL_LOCKS_EXCLUDED(mutex_);
  void PauseBeforeAttempt(int attempt, const std::stop_token& stop) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Finish(const JobKey& key, const absl::Status& status);
  // Leaves the job unfinished: whoever starts it again goes on with it. Its watches end with `why`.
  void GiveUp(const JobKey& key, const absl::Status& why) ABSL_LOCKS_EXCLUDED(mutex_);
  void Change(LiveJob& live, const ProgressChange& change) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the next change after `seen_version`, and updates `seen_version`. std::nullopt when
  // there was no change for a while.
  absl::StatusOr<std::optional<v1::WatchEvaluationResponse>> NextProgress(const JobKey& key,
                                                                          int64_t& seen_version)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<v1::WatchEvaluationResponse> StoredProgress(const JobKey& key);

  db::Database& database_;
  const JobRunner run_job_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Shared with the task that runs the job and with the watches.
  std::map<JobKey, std::shared_ptr<LiveJob>> live_ ABSL_GUARDED_BY(mutex_);
  // Why jobs that are unfinished do not run.
  std::map<JobKey, absl::Status> given_up_ ABSL_GUARDED_BY(mutex_);
  WorkerPool pool_;  // The last member: its tasks use all members above.
};

}  // namespace tidemill::evaluator

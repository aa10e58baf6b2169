// Runs evaluations: every job is written down before it is begun, every window when it is measured,
// so a restart goes on with the windows that are missing.
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

// Thread-safe. The destructor stops the jobs that run; the next Evaluator on the same database
// resumes them.
//
// What cannot be measured (a model that cannot be loaded, a window that cannot be read) has no
// value, and the job's error says why; the job is DONE all the same. It is FAILED when nothing at
// all was measured, when kMaxAttempts of its processes in a row ended without a window measured, or
// when its spec cannot be used.
class Evaluator {
 public:
  static constexpr int kMaxAttempts = 3;

  // Migrates the schema. At most `num_jobs` jobs run at once. `database` must outlive it.
  static absl::StatusOr<std::unique_ptr<Evaluator>> Open(db::Database& database, int num_jobs,
                                                         JobRunner run_job);
  ~Evaluator();

  // Queues the jobs that an earlier life did not finish.
  absl::Status Resume() ABSL_LOCKS_EXCLUDED(mutex_);

  // Queues a job, or does nothing when it is queued, runs or is done; one that FAILED is tried
  // again, with the windows that are missing or lost something. INVALID_ARGUMENT for a spec that
  // does not decode; FAILED_PRECONDITION for a command of an earlier epoch.
  absl::Status Start(const v1::StartEvaluationRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls `send` with the present state and with every change (several may come as one) until the
  // job is DONE or FAILED. Ends early when `send` or, asked now and then, `alive` returns false.
  // NOT_FOUND for a job that was never started; UNAVAILABLE when the evaluator stops.
  absl::Status Watch(const JobKey& job,
                     const std::function<bool(const v1::WatchEvaluationResponse&)>& send,
                     const std::function<bool()>& alive) ABSL_LOCKS_EXCLUDED(mutex_);

  // In the order (evaluation, model, window, measure).
  absl::StatusOr<std::vector<v1::Evaluation>> List(RunId run);

  // Stops the jobs of the command's run, forgets all about them and returns how many there were.
  // Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command) ABSL_LOCKS_EXCLUDED(mutex_);

  // Stops the jobs that run and ends the watches.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A job that is queued or runs. Its fields but `stop` are guarded by mutex_.
  struct LiveJob {
    v1::WatchEvaluationResponse progress;
    int64_t version = 0;  // Of `progress`.
    // It was started again after it had been written down as FAILED.
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
  void Change(LiveJob& live, const ProgressChange& change) ABSL_LOCKS_EXCLUDED(mutex_);
  // The next change after `seen_version`, which it brings up to date; std::nullopt when there was
  // none for a while.
  absl::StatusOr<std::optional<v1::WatchEvaluationResponse>> NextProgress(const JobKey& key,
                                                                          int64_t& seen_version)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<v1::WatchEvaluationResponse> StoredProgress(const JobKey& key);

  db::Database& database_;
  const JobRunner run_job_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Shared with the task that runs the job and with those who watch it.
  std::map<JobKey, std::shared_ptr<LiveJob>> live_ ABSL_GUARDED_BY(mutex_);
  WorkerPool pool_;  // Last: its tasks use everything above.
};

}  // namespace tidemill::evaluator

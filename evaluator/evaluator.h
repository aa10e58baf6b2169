// Runs evaluations. Every job is recorded before it starts, and every window when it is measured. A
// restart therefore continues with the missing windows, once the job is started again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "db/database.h"
#include "devices/devices.h"
#include "devices/slots.h"
#include "evaluator/evaluations_table.h"
#include "evaluator/job_execution.h"
#include "evaluator/job_runner.h"
#include "rpc/jobs/watched_jobs.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"

namespace tidemill::evaluator {

// Thread-safe. The destructor stops the running jobs. Any Evaluator on the same database may
// continue them.
//
// A model that cannot be loaded, or a window that cannot be read, has no value. The job's error
// says why, and the job is DONE all the same. A job is FAILED in three cases: nothing at all was
// measured; kMaxAttempts of its processes in a row ended without measuring a window; or its spec
// cannot be used.
class Evaluator {
 public:
  static constexpr int kMaxAttempts = 3;

  // Where jobs run: at most `num_jobs` of them on processors at once, and one on each of the first
  // `max_gpus` GPUs; by default on all.
  struct Places {
    const devices::Devices& devices;
    int num_jobs = 1;
    std::optional<int> max_gpus = std::nullopt;
  };

  // Migrates the schema. `database` and the devices must outlive this object.
  static absl::StatusOr<std::unique_ptr<Evaluator>> Open(db::Database& database,
                                                         const Places& places, JobRunner run_job);
  ~Evaluator();

  // Queues a job, which continues with the windows that are missing, whatever process has measured
  // the others. Does nothing when the job is queued, running or done. A job that FAILED is tried
  // again, with the windows that are missing or incomplete. INVALID_ARGUMENT when the spec does not
  // decode. FAILED_PRECONDITION when the command is of an earlier epoch, or when there is no slot
  // of the device.
  absl::Status Start(const v1::StartEvaluationRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls `send` with the current state and with every change until the job is DONE or FAILED.
  // Several changes may come as one. Ends early when `send` returns false. NOT_FOUND when the job
  // was never started. UNAVAILABLE when the evaluator stops, when the job was left unfinished, or
  // when `alive`, which is asked now and then, returns false.
  absl::Status Watch(const JobKey& job,
                     const std::function<bool(const v1::WatchEvaluationResponse&)>& send,
                     const std::function<bool()>& alive);

  // Returns the evaluations in the order (evaluation, model, window, measure).
  absl::StatusOr<std::vector<v1::Evaluation>> List(RunId run);

  // Stops the jobs of the command's run and deletes everything about them. Returns their number.
  // Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

  // Returns the jobs that are queued or run in slots that the supervisor has given them.
  std::vector<JobKey> Active() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Stops a job and leaves it unfinished: another evaluator may continue it.
  void EndJob(const JobKey& key);

  // Stops the running jobs and ends the watches.
  void Stop();

  // The slots of its jobs, which other jobs of the service may take, too.
  devices::Slots& slots() { return slots_; }

 private:
  using Jobs = rpc::WatchedJobs<JobKey, v1::WatchEvaluationResponse>;
  using SendProgress = std::function<bool(const v1::WatchEvaluationResponse&)>;

  Evaluator(db::Database& database, const Places& places, JobRunner run_job);
  void Enqueue(const JobKey& key, const JobRow& row, const config::DeviceChoice& device,
               bool reopened);
  void RunToEnd(Jobs::Job& job, const rpc::v1::JobDevice& device);
  absl::Status RunAttempts(Jobs::Job& job, const rpc::v1::JobDevice& device);
  // Ends a job for which there is no slot.
  void Refuse(Jobs::Job& job, const absl::Status& why);
  // Records how a job has ended. UNAVAILABLE when it is left unfinished instead: the next start
  // continues with it.
  absl::Status Finish(const JobKey& key, const absl::Status& status);
  absl::Status WriteEnd(const JobKey& key, const absl::Status& status);
  // Shows the end of a job that does not run.
  absl::Status ShowStored(const JobKey& key, const SendProgress& send);

  db::Database& database_;
  const JobRunner run_job_;
  mutable Mutex mutex_;
  std::set<JobKey> in_slots_ ABSL_GUARDED_BY(mutex_);
  // The jobs that are queued, running or given up. The database has all others.
  Jobs jobs_{"evaluator"};
  devices::Slots slots_;  // The last member: its jobs use all members above.
};

}  // namespace tidemill::evaluator

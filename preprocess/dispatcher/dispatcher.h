// Gives the splits of jobs to workers. It does not depend on gRPC. preprocess.proto defines the
// contract of the calls.
//
// It decides in memory, under one mutex. One thread writes the decisions in rounds. A round takes
// all waiting leases and all progress since the last round, writes them in one transaction, and
// only then answers. So a worker never learns of a lease that is not durable. The leases of a
// failed write are taken back before any worker learns of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "db/database.h"
#include "preprocess/dispatcher/assignments.h"
#include "preprocess/dispatcher/dispatcher_config.h"
#include "preprocess/dispatcher/lease_queue.h"
#include "preprocess/dispatcher/metrics.h"
#include "preprocess/dispatcher/term_writer.h"
#include "rpc/callers/job_scope.h"

// The way of a lease. All writes are made on the writer's thread, and the mutex is free meanwhile.
//
//   Lease()             Round(), on the writer's thread
//   waiter --> queue -> Decide --> changes --> one transaction --> Conclude --> answer
//                       (mutex)                                    (mutex)
//                          ^                         |
//                          `---- ReturnChanges ------'  when it fails: for the next round
//
// Tick() marks silent workers as lost, answers requests whose deadline has passed, ends jobs that
// no consumer reports for, and schedules a round for progress that is not written yet.

namespace tidemill::preprocess {

// Thread-safe. Calls that change jobs or workers wait for PostgreSQL. Lease() and ReportProgress()
// never do.
class Dispatcher {
 public:
  using NowFunction = std::function<Clock::time_point()>;
  using LeaseDone = preprocess::LeaseDone;

  // Migrates the schema. `database` must outlive this object. `now` is the clock for timeouts.
  static absl::StatusOr<std::unique_ptr<Dispatcher>> Open(db::Database& database,
                                                          const DispatcherConfig& config,
                                                          NowFunction now = Clock::now);
  // Calls Stop() and completes the write in progress.
  ~Dispatcher();

  // Takes over from the previous dispatcher, which can no longer write. Reads the splits in flight.
  // The timeouts of workers and consumers begin now. Call it once. Before that, calls are answered
  // with UNAVAILABLE, and lists are empty.
  absl::Status Recover();

  absl::StatusOr<int64_t> CreateJob(const v1::CreateJobRequest& request,
                                    const rpc::JobScope& caller = {});
  absl::StatusOr<v1::GetJobResponse> GetJob(int64_t job_id);
  // Returns what workers have used for a job; nothing for one that is over.
  rpc::v1::Usage UsageOf(int64_t job_id) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    const Job* const job = assignments_.FindJob(job_id);
    return job == nullptr ? rpc::v1::Usage() : job->Usage();
  }
  absl::Status FinishJob(const rpc::v1::Command& command, int64_t job_id,
                         const rpc::JobScope& caller = {});
  v1::ListJobsResponse ListJobs();

  absl::StatusOr<Incarnation> RegisterWorker(const v1::RegisterWorkerRequest& request);
  absl::Status DrainWorker(int64_t worker_id);
  v1::ListWorkersResponse ListWorkers();
  // Returns the workers that an engine has started in this group, and that are not lost.
  std::vector<engine::KnownMember> StartedMembers(const std::string& group)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    return assignments_.StartedMembers(group);
  }
  // Returns what each job's consumers took and its workers made.
  std::vector<JobTotals> Totals() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    return assignments_.Totals();
  }
  // Returns the mean over the workers that take work; std::nullopt when there are none.
  std::optional<double> ThreadsPerWorker() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    return assignments_.workers().ThreadsPerWorker();
  }

  absl::StatusOr<v1::ReportProgressResponse> ReportProgress(
      const v1::ReportProgressRequest& request, const rpc::JobScope& caller = {});

  // Calls `done` once, on any thread, perhaps before Lease() returns, and never under the mutex.
  // UNAVAILABLE when the lease could not be written, or when the dispatcher stops.
  void Lease(const v1::LeaseSplitsRequest& request, LeaseDone done);

  // Carries out due work: answers requests that have waited long enough, gives up silent workers,
  // ends the jobs of silent consumers, and writes progress. Call it every 50 ms or so.
  void Tick();

  // Answers waiting and later calls with UNAVAILABLE.
  void Stop();

 private:
  Dispatcher(db::Database& database, const DispatcherConfig& config, NowFunction now);
  // UNAVAILABLE unless Recover() has succeeded and Stop() was not called.
  absl::Status CheckServing() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Runs `body` on the writing thread and returns its result.
  absl::Status OnWriter(const std::function<absl::Status()>& body);

  // Decides what Lease() can decide at once. Returns the answer to a request that need not wait;
  // its `waiter` is then finished.
  std::optional<absl::StatusOr<v1::LeaseSplitsResponse>> AnswerAtOnce(
      const v1::LeaseSplitsRequest& request, const LeaseWaiter& waiter)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // These make rounds, which run on the writing thread.
  void ScheduleRound() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Round() ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes a worker in that has registered. Returns what its earlier incarnation is answered.
  LeaseAnswers Install(const KnownWorker& known) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void GiveUpLeases(const std::function<bool(const Incarnation&)>& is_gone)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Releases what workers had leased that were just marked as lost.
  void ReleaseLeasesOfLost(const std::vector<Incarnation>& lost)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // These are parts of Tick().
  void LoseSilentWorkers() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndSilentJobs() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Runs on the writing thread. Removes a job's rows, then the job.
  absl::Status RemoveJob(const rpc::v1::Command& command, int64_t job_id);
  void CountAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  db::Database& database_;
  const DispatcherConfig config_;
  const NowFunction now_;
  DispatcherMetrics metrics_;

  Mutex mutex_;
  bool recovered_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool round_scheduled_ ABSL_GUARDED_BY(mutex_) = false;
  // Whether the next round must write changes even if it gives no splits.
  bool write_due_ ABSL_GUARDED_BY(mutex_) = false;
  Assignments assignments_ ABSL_GUARDED_BY(mutex_);
  LeaseQueue queue_ ABSL_GUARDED_BY(mutex_);
  // The workers whose leases are being written. They wait for an answer, however long it takes.
  std::vector<Incarnation> being_answered_ ABSL_GUARDED_BY(mutex_);

  // The last member: it ends before the members that it uses.
  TermWriter writer_;
};

}  // namespace tidemill::preprocess

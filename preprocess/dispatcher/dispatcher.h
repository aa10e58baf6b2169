// Hands out the splits of jobs to workers. Knows no gRPC; see preprocess.proto for what the calls
// promise.
//
// It decides in memory, under one mutex, and one thread writes what was decided: a round takes all
// leases that wait and all progress since the last one, writes them in one transaction, and only
// then answers. So nobody hears of a lease that is not durable, and a failed write is taken back
// before anybody heard of it.
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

namespace tidemill::preprocess {

// Thread-safe. Calls that change jobs or workers wait for PostgreSQL; Lease() and ReportProgress()
// never do.
class Dispatcher {
 public:
  using NowFunction = std::function<Clock::time_point()>;
  using LeaseDone = preprocess::LeaseDone;

  // Migrates the schema. `database` must outlive the dispatcher, `now` is what timeouts go by.
  static absl::StatusOr<std::unique_ptr<Dispatcher>> Open(db::Database& database,
                                                          const DispatcherConfig& config,
                                                          NowFunction now = Clock::now);
  // Calls Stop() and finishes the write in progress.
  ~Dispatcher();

  // Takes over from whatever dispatcher there was, which can write nothing from here on, and reads
  // what is in flight. Workers and consumers count as heard from now. To be called once; before,
  // calls are answered with UNAVAILABLE, and lists are empty.
  absl::Status Recover();

  absl::StatusOr<int64_t> CreateJob(const v1::CreateJobRequest& request);
  absl::StatusOr<v1::GetJobResponse> GetJob(int64_t job_id);
  absl::Status FinishJob(const rpc::v1::Command& command, int64_t job_id);
  v1::ListJobsResponse ListJobs();

  absl::StatusOr<Incarnation> RegisterWorker(const v1::RegisterWorkerRequest& request);
  absl::Status DrainWorker(int64_t worker_id);
  v1::ListWorkersResponse ListWorkers();

  absl::StatusOr<v1::ReportProgressResponse> ReportProgress(
      const v1::ReportProgressRequest& request);

  // Calls `done` once, on any thread, maybe before it returns, and never under the mutex.
  // UNAVAILABLE when the lease could not be written, or the dispatcher stops.
  void Lease(const v1::LeaseSplitsRequest& request, LeaseDone done);

  // What time brings about: answers those who waited long enough, gives up silent workers, ends
  // jobs of silent consumers, writes progress. To be called every 50 ms or so.
  void Tick();

  // Answers whoever waits, and whoever comes, with UNAVAILABLE.
  void Stop();

 private:
  Dispatcher(db::Database& database, const DispatcherConfig& config, NowFunction now);
  // UNAVAILABLE unless it has recovered and is not stopping.
  absl::Status CheckServing() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Runs `body` on the thread that writes and returns what it returns.
  absl::Status OnWriter(const std::function<absl::Status()>& body);

  // What Lease() decides at once: the answer to a request that has not to wait, of which `waiter`
  // is then done.
  std::optional<absl::StatusOr<v1::LeaseSplitsResponse>> AnswerAtOnce(
      const v1::LeaseSplitsRequest& request, const LeaseWaiter& waiter)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Of rounds, which run on the thread that writes.
  void ScheduleRound() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Round() ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveUpLeases(const std::function<bool(const Incarnation&)>& is_gone)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What Tick() does of it.
  void LoseSilentWorkers() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndSilentJobs() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // On the thread that writes: removes a job's rows, then the job.
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
  // The next round writes what changed even if it gives no splits.
  bool write_due_ ABSL_GUARDED_BY(mutex_) = false;
  Assignments assignments_ ABSL_GUARDED_BY(mutex_);
  LeaseQueue queue_ ABSL_GUARDED_BY(mutex_);
  // Whose leases are being written: they wait for an answer, however long that takes.
  std::vector<Incarnation> being_answered_ ABSL_GUARDED_BY(mutex_);

  // Last: it ends before what it works on.
  TermWriter writer_;
};

}  // namespace tidemill::preprocess

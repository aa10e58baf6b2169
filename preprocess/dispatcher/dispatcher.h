// Hands out the splits of jobs to workers. Knows no gRPC; see preprocess.proto for what the calls
// promise.
//
// It decides in memory, under one mutex, and one thread writes what was decided: a round takes all
// leases that wait and all progress since the last one, writes them in one transaction, and only
// then answers. So nobody hears of a lease that is not durable, and a failed write is taken back
// before anybody heard of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "db/database.h"
#include "preprocess/dispatcher/dispatcher_config.h"
#include "preprocess/dispatcher/issue_table.h"
#include "preprocess/dispatcher/job.h"
#include "preprocess/dispatcher/jobs_table.h"
#include "preprocess/dispatcher/metrics.h"
#include "preprocess/dispatcher/workers.h"

namespace tidemill::preprocess {

// Thread-safe. Calls that change jobs or workers wait for PostgreSQL; Lease() and ReportProgress()
// never do.
class Dispatcher {
 public:
  using NowFunction = std::function<Clock::time_point()>;
  using LeaseDone = std::function<void(absl::StatusOr<v1::LeaseSplitsResponse>)>;

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
  // A split that a waiting request is given.
  struct Gift {
    int64_t job_id = 0;
    Job::Issued issued;
  };
  // A lease request that is not answered.
  struct Waiter {
    Incarnation worker;
    std::string request_id;
    int32_t max_splits = 0;
    Clock::time_point deadline;
    std::vector<int64_t> job_ids;
    LeaseDone done;
    std::vector<Gift> gifts = {};
    // A round has looked for something to give.
    bool considered = false;
  };
  using Waiters = std::list<Waiter>;
  struct Answer {
    LeaseDone done;
    absl::StatusOr<v1::LeaseSplitsResponse> response;
  };
  using Answers = std::vector<Answer>;

  Dispatcher(db::Database& database, const DispatcherConfig& config, NowFunction now);
  // UNAVAILABLE unless it has recovered and is not stopping.
  absl::Status CheckServing() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A transaction of this dispatcher's term. UNAVAILABLE when that is over.
  absl::Status Transact(const std::function<absl::Status(pqxx::work&)>& body);
  // Runs `body` on the thread that writes and returns what it returns.
  absl::Status OnWriter(const std::function<absl::Status()>& body);
  static void Send(Answers answers);

  // What Lease() decides at once: the answer to a request that has not to wait, of which `waiter`
  // is then done.
  std::optional<absl::StatusOr<v1::LeaseSplitsResponse>> AnswerAtOnce(
      const v1::LeaseSplitsRequest& request, const Waiter& waiter)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Of rounds, which run on the thread that writes.
  void ScheduleRound() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Round() ABSL_LOCKS_EXCLUDED(mutex_);
  // Moves those out of waiters_ that are given splits, or want no more.
  Waiters Decide() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool GiveOne(Waiter& waiter) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<Gift> GivenBefore(const Waiter& waiter) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  IssueChanges TakeChanges() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ReturnChanges(const IssueChanges& changes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Write(const IssueChanges& changes, bool has_leases);
  Answer Conclude(Waiter& waiter, const absl::Status& written)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<v1::LeaseSplitsResponse> Respond(const Waiter& waiter)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  bool HasChanges() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void GiveUpLeases(const std::function<bool(const Incarnation&)>& is_gone)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What Tick() does of it.
  void LoseSilentWorkers() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndSilentJobs() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Answers those of waiters_ for which `is_over` holds.
  Answers AnswerWaiters(const std::function<bool(const Waiter&)>& is_over)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Job* FindJob(int64_t job_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Splits held, by worker.
  std::map<int64_t, int32_t> CountLeases() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A job that is known already stays as it is; UNAVAILABLE for one that is being removed.
  absl::Status Install(StoredJob stored) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // On the thread that writes: removes a job's rows, then the job.
  absl::Status RemoveJob(const rpc::v1::Command& command, int64_t job_id);
  void CountAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  db::Database& database_;
  const DispatcherConfig config_;
  const NowFunction now_;
  DispatcherMetrics metrics_;
  // Set by Recover(), before anything is written.
  std::atomic<int64_t> term_ = 0;

  Mutex mutex_;
  bool recovered_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool round_scheduled_ ABSL_GUARDED_BY(mutex_) = false;
  // The next round writes what changed even if it gives no splits.
  bool write_due_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<int64_t, std::unique_ptr<Job>> jobs_ ABSL_GUARDED_BY(mutex_);
  // The job that was given a worker last: the next one's turn comes after it.
  int64_t last_job_ ABSL_GUARDED_BY(mutex_) = 0;
  Workers workers_ ABSL_GUARDED_BY(mutex_);
  // In the order of arrival.
  Waiters waiters_ ABSL_GUARDED_BY(mutex_);
  // Whose leases are being written: they wait for an answer, however long that takes.
  std::vector<Incarnation> being_answered_ ABSL_GUARDED_BY(mutex_);

  // Of one thread, on which everything is written: what it does to rows and then to memory is seen
  // by the next write as done or not done. Last: it ends before what it works on.
  WorkerPool writer_;
};

}  // namespace tidemill::preprocess

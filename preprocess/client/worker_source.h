// A training set as batches that workers prepare.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_maker.h"
#include "loader/batches/batch_stream.h"
#include "loader/path/path_clock.h"
#include "preprocess/client/arrivals.h"
#include "preprocess/client/dispatcher_client.h"
#include "preprocess/client/job_charges.h"
#include "preprocess/client/job_spec.h"
#include "preprocess/client/own_splits.h"
#include "preprocess/client/worker_connections.h"
#include "preprocess/transport/batch_link.h"
#include "rpc/channel.h"

namespace tidemill::preprocess {

// The lane that a consumer reads in a job with shards.
struct ShardLane {
  int32_t lane = 0;
  // The lanes of the whole job. They are equal for all its consumers.
  std::vector<v1::Lane> lanes = {};
};

struct WorkerSourceOptions {
  // The dispatcher. Its token and certificates are used for workers, too.
  rpc::Peer dispatcher = {};
  // Consumers that name the same job share it. Each reads one lane.
  std::string job_name = {};
  LinkOptions link = {};
  // The most workers to connect to. When there are more, different consumers take different ones.
  int64_t most_workers = 8;
  // The bytes of prepared batches that wait here or are in flight.
  int64_t bytes_ahead = int64_t{64} << 20;
  // When there has been no worker for this long, this process makes batches until there is one
  // again.
  std::chrono::milliseconds patience{10'000};
  // When no batch has arrived from the workers for this long, this process also makes the wanted
  // batch itself. The workers may be full of later batches.
  std::chrono::milliseconds standstill{30'000};
  // Threads of this process that make batches, too, while the consumer waits for workers.
  int threads_here = 0;
  loader::SettleRows settle = nullptr;
  // The samples of the job, unless they are those of a sealed set.
  v1::JobSamples samples = {};
  // For a job with shards. The code that opened all its consumers then finishes the job. The lane
  // is read from one worker at a time.
  std::optional<ShardLane> shard = std::nullopt;
  // Pay for the workers. The consumers of a job with shards share it. nullptr in other jobs: the
  // consumer of the first lane pays for all.
  std::shared_ptr<JobCharges> charges = nullptr;
};

// Counted since the source was opened.
struct WorkerSourceCounters {
  int64_t num_batches = 0;
  // Made in this process, because there were no workers or too few.
  int64_t num_made_here = 0;
  double wait_seconds = 0;
  // The counters of the current links, by name of the worker.
  std::map<std::string, LinkCounters> links = {};
};

// Reads one lane of a job: each batch once, in order. Workers may join and leave, and the
// dispatcher may be restarted, without the caller noticing. To continue later, open a source whose
// plan begins after the batches that were given: in another process, with other workers or with
// another number of lanes. Next() belongs to one thread; counters() may be called by any.
class WorkerSource : public loader::BatchSource {
 public:
  // Joins the job with that name, or creates it. `maker` is for the lane's plan; batches are given
  // from its `first_batch` on. `fitted` is the fitted state as bytes, empty for a graph that learns
  // nothing. ALREADY_EXISTS when a different job has that name. UNAVAILABLE without a dispatcher.
  static absl::StatusOr<std::unique_ptr<WorkerSource>> Open(
      const JobSpec& job, const std::string& fitted,
      std::unique_ptr<const loader::BatchMaker> maker, const WorkerSourceOptions& options);
  ~WorkerSource() override;

  const std::string& job_name() const { return options_.job_name; }
  int64_t job_id() const { return job_id_; }
  int64_t num_samples() const override { return maker_->num_samples(); }
  int64_t num_batches() const override { return maker_->num_batches(); }

  // Waits for the next batch. INVALID_ARGUMENT and similar codes when workers cannot make the job's
  // batches. FAILED_PRECONDITION when the dispatcher has given up the job.
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the work of the whole job as the dispatcher last reported it, and the work of this
  // process.
  loader::PathWork work() const override ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the part of the work that was done in this process.
  loader::PathWork work_here() const ABSL_LOCKS_EXCLUDED(mutex_);

  WorkerSourceCounters counters() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;

  WorkerSource(const JobSpec& job, std::unique_ptr<const loader::BatchMaker> maker,
               const WorkerSourceOptions& options);
  absl::Status CreateJob(const JobSpec& job, const std::string& fitted);

  void KeepReporting() ABSL_LOCKS_EXCLUDED(mutex_);
  v1::ReportProgressRequest NextReport() ABSL_LOCKS_EXCLUDED(mutex_);
  void Apply(const v1::ReportProgressRequest& sent, const v1::ReportProgressResponse& answer)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Arrived(int64_t connection, BatchMessage message) ABSL_LOCKS_EXCLUDED(mutex_);
  void Ended(const absl::Status& failure) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<std::optional<Arrivals::Arrival>> WaitForNext() ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes the batches [from, to) in this process.
  absl::Status MakeHere(int64_t from, int64_t to) ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes the wanted batch in this process, because no worker sends anything. `since`: when the
  // consumer began to wait for it.
  absl::Status MakeWanted(Clock::time_point since) ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes splits in this process while the consumer waits for workers.
  void KeepMaking() ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits for a split to make; std::nullopt when no more is wanted.
  std::optional<std::pair<int64_t, int64_t>> TakeOwnSplit() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the consumer waits, or has waited for a good part of the time lately.
  bool IsShort() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether the progress up to `wanted` should be reported now.
  bool IsProgressDue(int64_t wanted) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Gives the credit for a batch that was taken back, and lets the progress be reported when it is
  // due.
  void NoteTaken(const std::optional<Arrivals::Origin>& origin) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether there has been no worker, or no batch from one, for too long.
  bool IsLeftWaiting(Clock::time_point since) ABSL_LOCKS_EXCLUDED(mutex_);

  const WorkerSourceOptions options_;
  const std::unique_ptr<const loader::BatchMaker> maker_;
  const loader::PathClock clock_;
  std::stop_source stop_;
  const int32_t lane_;
  const bool owns_job_;                        // Whether no other consumer reads it.
  const std::shared_ptr<JobCharges> charges_;  // nullptr for a consumer that does not pay.
  const std::string consumer_;
  DispatcherClient dispatcher_;
  int64_t job_id_ = 0;
  const int64_t split_;   // The number of batches that a worker leases together.
  const int64_t window_;  // The number of batches in flight.

  mutable Mutex mutex_;
  CondVar changed_;  // A batch arrived, or the state of connections changed.
  CondVar due_;      // There is something to report.
  CondVar own_due_;  // A split may be taken, or the source ends.
  Arrivals arrivals_ ABSL_GUARDED_BY(mutex_);
  OwnSplits own_ ABSL_GUARDED_BY(mutex_);
  // The done_before of the last report.
  int64_t reported_ ABSL_GUARDED_BY(mutex_);
  bool is_due_ ABSL_GUARDED_BY(mutex_) = true;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  // Batches that were waited for in vain, since the last report.
  std::vector<int64_t> missed_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point last_company_ ABSL_GUARDED_BY(mutex_) = Clock::now();
  Clock::time_point last_arrival_ ABSL_GUARDED_BY(mutex_) = Clock::now();
  WorkerSourceCounters counters_ ABSL_GUARDED_BY(mutex_);
  loader::PathWork work_ ABSL_GUARDED_BY(mutex_);
  double reported_wait_ ABSL_GUARDED_BY(mutex_) = 0;
  double wait_share_ ABSL_GUARDED_BY(mutex_) = 0;  // As last reported.
  std::optional<Clock::time_point> waits_since_ ABSL_GUARDED_BY(mutex_);
  bool was_left_ ABSL_GUARDED_BY(mutex_) = false;  // Whether there was a time without workers.
  Clock::time_point reported_at_ ABSL_GUARDED_BY(mutex_) = Clock::now();
  // The last members: their threads use all members above, and the reporter uses the connections.
  std::unique_ptr<WorkerConnections> connections_;
  std::unique_ptr<WorkerPool> reporter_;
  std::unique_ptr<WorkerPool> makers_;  // Absent without threads here.
};

}  // namespace tidemill::preprocess

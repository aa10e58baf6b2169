// A training set as batches that workers prepare.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_maker.h"
#include "loader/batches/batch_stream.h"
#include "preprocess/client/arrivals.h"
#include "preprocess/client/dispatcher_client.h"
#include "preprocess/client/inbox.h"
#include "preprocess/client/job_spec.h"
#include "preprocess/client/resume_token.h"
#include "preprocess/client/worker_connections.h"
#include "preprocess/transport/batch_link.h"
#include "rpc/channel.h"

namespace tidemill::preprocess {

// Which lane of a job of shards a consumer reads.
struct ShardLane {
  int32_t lane = 0;
  // Of the whole job: equal for all of its consumers.
  std::vector<v1::Lane> lanes = {};
};

struct WorkerSourceOptions {
  // The dispatcher; workers are spoken to with its token and certificates.
  rpc::Peer dispatcher = {};
  // Consumers that name the same job share it, each a lane of it.
  std::string job_name = {};
  v1::Guarantee guarantee = v1::GUARANTEE_EXACTLY_ONCE;
  Delivery delivery = Delivery::kOrdered;
  LinkOptions link = {};
  // At most so many workers are connected to: of more, each consumer takes others.
  int64_t most_workers = 8;
  // Batches beyond the plan's first that are done, as of a token.
  std::vector<int64_t> done_beyond = {};
  // Prepared batches that wait here and on the way.
  int64_t bytes_ahead = int64_t{64} << 20;
  // Without any worker for so long, batches are made in this process until there is one again.
  std::chrono::milliseconds patience{10'000};
  // With workers of which nothing comes for so long, the batch that is waited for is made here,
  // too: they may be full of batches that come after it.
  std::chrono::milliseconds standstill{30'000};
  loader::SettleRows settle = nullptr;
  // For a job of shards, which then is left to whoever opened its consumers to finish. The lane is
  // read from one worker at a time.
  std::optional<ShardLane> shard = std::nullopt;
};

// Since the source was opened.
struct WorkerSourceCounters {
  int64_t num_batches = 0;
  // Made in this process, for want of workers.
  int64_t num_made_here = 0;
  // Come a second time and dropped; lost and given up.
  int64_t num_dropped = 0;
  int64_t num_given_up = 0;
  double wait_seconds = 0;
  // Of the links there are, by name of the worker.
  std::map<std::string, LinkCounters> links = {};
};

// One lane of a job. Workers may come and go, and the dispatcher may be started anew, without the
// caller noticing. Next() belongs to one thread, counters() to any.
class WorkerSource : public loader::BatchSource {
 public:
  // Joins the job of that name, or creates it. `maker`: of the lane's plan, from whose
  // `first_batch` on batches are given. `fitted`: as bytes, empty for a graph that learns nothing.
  // ALREADY_EXISTS when there is another job of that name; UNAVAILABLE without a dispatcher;
  // INVALID_ARGUMENT for late rows (JobSpec.slow_after) of ordered delivery, or of batches that are
  // put together by length or from several sources, or that repeat samples.
  static absl::StatusOr<std::unique_ptr<WorkerSource>> Open(
      const JobSpec& job, const std::string& fitted,
      std::unique_ptr<const loader::BatchMaker> maker, const WorkerSourceOptions& options);
  ~WorkerSource() override;

  const std::string& job_name() const { return options_.job_name; }
  int64_t job_id() const { return job_id_; }
  int64_t num_samples() const override { return maker_->num_samples(); }
  int64_t num_batches() const override { return maker_->num_batches(); }

  // Waits for the next batch. INVALID_ARGUMENT and the like when workers cannot make the job's
  // batches; FAILED_PRECONDITION when the dispatcher has given the job up. Of a job with late rows
  // batches are cut from rows as they come: see Rebatcher.
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override ABSL_LOCKS_EXCLUDED(mutex_);

  // Of the whole job, as the dispatcher knew it last, and of batches made in this process.
  loader::PathWork work() const override ABSL_LOCKS_EXCLUDED(mutex_);

  // The part of it that was done in this process.
  loader::PathWork work_here() const ABSL_LOCKS_EXCLUDED(mutex_);

  // What was given so far. To go on, open a source whose plan begins at `done_before`, with
  // `done_beyond` among its options. Of a job with late rows, a batch of the plan is done once all
  // its rows were given: those that were given of others come again.
  ResumeToken token() const ABSL_LOCKS_EXCLUDED(mutex_);
  WorkerSourceCounters counters() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;

  WorkerSource(const JobSpec& job, std::unique_ptr<const loader::BatchMaker> maker,
               const WorkerSourceOptions& options);
  absl::Status CreateJob(const JobSpec& job, const std::string& fitted);
  std::unique_ptr<Inbox> MakeInbox(const JobSpec& job) const;

  void KeepReporting() ABSL_LOCKS_EXCLUDED(mutex_);
  v1::ReportProgressRequest NextReport() ABSL_LOCKS_EXCLUDED(mutex_);
  void Apply(const v1::ReportProgressRequest& sent, const v1::ReportProgressResponse& answer)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Arrived(int64_t connection, BatchMessage message) ABSL_LOCKS_EXCLUDED(mutex_);
  void Ended(const absl::Status& failure) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<std::optional<Inbox::Taken>> WaitForNext() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status MakeHere() ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveCredit(const std::vector<Inbox::Origin>& origins) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether there has been no worker for too long, or nothing came of one.
  bool IsLeftWaiting(Clock::time_point since) ABSL_LOCKS_EXCLUDED(mutex_);

  const WorkerSourceOptions options_;
  const std::unique_ptr<const loader::BatchMaker> maker_;
  const int32_t lane_;
  const bool owns_job_;  // Nobody else reads it.
  const std::string consumer_;
  DispatcherClient dispatcher_;
  int64_t job_id_ = 0;
  const int64_t split_;   // Batches that a worker leases together.
  const int64_t window_;  // Batches under way.

  mutable Mutex mutex_;
  CondVar changed_;  // A batch came, or the state of connections changed.
  CondVar due_;      // There is something to report.
  const std::unique_ptr<Inbox> inbox_ ABSL_PT_GUARDED_BY(mutex_);
  int64_t reported_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_due_ ABSL_GUARDED_BY(mutex_) = true;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point last_company_ ABSL_GUARDED_BY(mutex_) = Clock::now();
  Clock::time_point last_arrival_ ABSL_GUARDED_BY(mutex_) = Clock::now();
  WorkerSourceCounters counters_ ABSL_GUARDED_BY(mutex_);
  loader::PathWork work_ ABSL_GUARDED_BY(mutex_);
  double reported_wait_ ABSL_GUARDED_BY(mutex_) = 0;
  Clock::time_point reported_at_ ABSL_GUARDED_BY(mutex_) = Clock::now();
  // Last: their threads use all of the above, and the reporter the connections.
  std::unique_ptr<WorkerConnections> connections_;
  std::unique_ptr<WorkerPool> reporter_;
};

}  // namespace tidemill::preprocess

// Leases splits from the dispatcher, makes their batches, and puts them where consumers take them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/periodic_task.h"
#include "base/threads/worker_pool.h"
#include "preprocess/client/dispatcher_client.h"
#include "preprocess/transport/outbox.h"
#include "preprocess/worker/lease_pace.h"
#include "preprocess/worker/worker_job.h"
#include "preprocess/worker/worker_metrics.h"
#include "preprocess/worker/worker_usage.h"

namespace tidemill::preprocess {

struct WorkerOptions {
  // The permanent name, if it has one. Else the dispatcher makes one of the host's.
  std::string name;
  std::string host = {};
  // "workers/3" when an engine has started it.
  std::string started_as = {};
  int num_threads = 1;
  // The budget for batches that are made and not sent, over all jobs. A split is leased when there
  // is room for it in addition to the splits being made.
  int64_t budget_bytes = int64_t{256} << 20;
};

// Thread-safe.
class Worker final : public OutboxProvider {
 public:
  // Opens a job from the answer to GetJob. Called from several threads.
  using JobOpener = std::function<absl::StatusOr<OpenedJob>(const v1::GetJobResponse& job)>;

  Worker(WorkerOptions options, rpc::Peer dispatcher, JobOpener open);
  // Ends all work.
  ~Worker() override;

  // Starts to lease. Consumers reach it at `endpoint`, and its shared memory over `ring_socket`.
  void Start(const std::string& endpoint, const std::string& ring_socket);

  // Takes no more work. Waits until all finished batches are sent, but at most for `patience`.
  void Drain(std::chrono::milliseconds patience) ABSL_LOCKS_EXCLUDED(mutex_);

  void Expect(const v1::ReadBatchesRequest::Open& request) override ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::shared_ptr<Outbox>> Open(const v1::ReadBatchesRequest::Open& request,
                                               const rpc::JobScope& scope) override
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;

  // What messages call it.
  const std::string& CalledName() const;

  v1::LeaseSplitsRequest NextLease(int max_splits) ABSL_LOCKS_EXCLUDED(mutex_);
  // Tells the dispatcher what was used, once nothing is being made: a job may end then, and its
  // consumer asks the dispatcher what it has used. Not too often.
  void ReportIdle() ABSL_LOCKS_EXCLUDED(mutex_);
  void NoteMetrics() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status LeaseOnce() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Register() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the bytes of batches that are made and not sent.
  int64_t BytesHeld() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until splits may be leased, or until it is time to say that the worker lives.
  void AwaitRoom() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the number of splits that may be leased now.
  int Room() const ABSL_LOCKS_EXCLUDED(mutex_);
  std::shared_ptr<WorkerJob> JobOf(int64_t job_id) ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<std::shared_ptr<WorkerJob>> Jobs() const ABSL_LOCKS_EXCLUDED(mutex_);
  void Forget(int64_t job_id) ABSL_LOCKS_EXCLUDED(mutex_);
  void MakeSplit(const v1::Split& split, int64_t incarnation) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status MakeBatches(const std::shared_ptr<WorkerJob>& job, const v1::Split& split,
                           int64_t incarnation) ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes the batches [from, to) of a split and puts them. Returns false when no consumer wants
  // them any more.
  absl::StatusOr<bool> MakePiece(WorkerJob& job, const loader::BatchMaker& maker,
                                 const v1::Split& split, int64_t from, int64_t to);
  // Puts a batch and counts it. Returns false when its consumer is gone.
  bool Put(WorkerJob& job, const v1::Split& split, int64_t number, loader::TrainingBatch made);
  // Reports that a job's batches cannot be made.
  void Fail(const std::shared_ptr<WorkerJob>& job, const v1::Split& split, const absl::Status& why)
      ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsOver(int64_t incarnation) const ABSL_LOCKS_EXCLUDED(mutex_);

  const WorkerOptions options_;
  WorkerUsage usage_;
  const JobOpener open_;
  std::stop_source stop_;
  DispatcherClient dispatcher_;
  // A request for work without an answer. Belongs to the leasing thread.
  std::optional<v1::LeaseSplitsRequest> lease_;
  // Since Start().
  std::string endpoint_;
  std::string ring_socket_;
  // Belongs to the leasing thread, too.
  WorkerMetrics metrics_;
  Clock::time_point metrics_noted_ = {};

  mutable Mutex mutex_;
  CondVar changed_;                                     // A split ended, or a message was sent.
  v1::WorkerIncarnation self_ ABSL_GUARDED_BY(mutex_);  // Incarnation 0: not registered.
  std::map<int64_t, std::shared_ptr<WorkerJob>> jobs_ ABSL_GUARDED_BY(mutex_);
  int num_making_ ABSL_GUARDED_BY(mutex_) = 0;  // Splits, including those that wait for a thread.
  LeasePace pace_ ABSL_GUARDED_BY(mutex_);
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  Clock::time_point idle_reported_ ABSL_GUARDED_BY(mutex_) = {};
  std::atomic<int64_t> num_batches_ = 0;
  std::atomic<int64_t> num_bytes_ = 0;

  // The last members: their threads use all members above. The leases end before the pool does.
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<WorkerPool> opener_;
  std::unique_ptr<PeriodicTask> leases_;
};

}  // namespace tidemill::preprocess

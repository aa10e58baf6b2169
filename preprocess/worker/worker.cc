#include "preprocess/worker/worker.h"

#include <algorithm>
#include <utility>

#include "base/failpoints.h"
#include "base/logs/log.h"
#include "base/threads/thread_priority.h"
#include "base/usage/account.h"
#include "preprocess/client/path_work_message.h"
#include "preprocess/transport/batch_link.h"
#include "rpc/usage/usage_message.h"

// The two kinds of threads:
//
//   LeaseOnce(), one thread               MakeSplit(), `num_threads` threads
//   AwaitRoom --> LeaseSplits --> splits --> batches, piece by piece --> the job's outbox --> links
//       ^                                                                    |
//       `------------ budget_bytes - bytes that outboxes hold <--------------'
//
// A lease that fails is repeated unchanged: what it was given belongs to it.

namespace tidemill::preprocess {
namespace {

// How long a request for work may wait at the dispatcher, and how long a worker without room waits
// before it says that it lives.
constexpr std::chrono::milliseconds kLeaseWait{100};
constexpr std::chrono::milliseconds kRoomWait{20};
// A split that ends just before a look at the room is noticed after this.
constexpr std::chrono::milliseconds kRoomLook{5};
constexpr std::chrono::milliseconds kPause{1};
constexpr std::chrono::seconds kMetricsInterval{1};
// The least time between two reports of a worker that has nothing to make.
constexpr std::chrono::milliseconds kIdleReports{50};
// The size in bytes of the pieces of a split in the outbox.
constexpr int64_t kPieceBytes = int64_t{1} << 20;

// Returns a peer whose calls end when the worker does.
rpc::Peer Stoppable(rpc::Peer peer, const std::stop_source& stop) {
  peer.stop = stop.get_token();
  return peer;
}

}  // namespace

Worker::Worker(WorkerOptions options, rpc::Peer dispatcher, JobOpener open)
    : options_(std::move(options)),
      open_(std::move(open)),
      dispatcher_(Stoppable(std::move(dispatcher), stop_)),
      metrics_(metrics::Process()),
      pace_(options_.num_threads),
      pool_(std::make_unique<WorkerPool>("preprocess", options_.num_threads)),
      opener_(std::make_unique<WorkerPool>("preprocess-open", 1)) {}

Worker::~Worker() {
  stop_.request_stop();
  {
    MutexLock lock(mutex_);
    changed_.notify_all();
  }
  leases_.reset();
  for (const auto& job : Jobs()) job->Close(Unavailable("worker {} ends", CalledName()));
  opener_.reset();
  pool_.reset();
}

const std::string& Worker::CalledName() const {
  return options_.name.empty() ? options_.host : options_.name;
}

void Worker::Start(const std::string& endpoint, const std::string& ring_socket) {
  endpoint_ = endpoint;
  ring_socket_ = ring_socket;
  leases_ =
      std::make_unique<PeriodicTask>("preprocess-leases", kPause, [this] { return LeaseOnce(); });
}

absl::Status Worker::Register() {
  v1::RegisterWorkerRequest request;
  request.set_name(options_.name);
  request.set_host(options_.host);
  request.set_started_as(options_.started_as);
  {
    MutexLock lock(mutex_);
    *request.mutable_continues() = self_;
  }
  request.set_endpoint(endpoint_);
  request.set_boot_id(BootId());
  request.set_ring_socket(ring_socket_);
  request.set_num_threads(options_.num_threads);
  ASSIGN_OR_RETURN(const v1::WorkerIncarnation self, dispatcher_.RegisterWorker(request));
  std::map<int64_t, std::shared_ptr<WorkerJob>> before;
  {
    MutexLock lock(mutex_);
    self_ = self;
    before.swap(jobs_);
    for (const auto& [id, job] : before) pace_.Forget(id);
  }
  // Their splits are issued again; consumers connect to the new incarnation.
  for (const auto& [id, job] : before) {
    job->Close(Unavailable("worker {} has registered again", CalledName()));
  }
  log::Info("registered",
            {{"worker", CalledName()}, {"incarnation", std::to_string(self.incarnation())}});
  return absl::OkStatus();
}

int64_t Worker::BytesHeld() const {
  int64_t bytes = 0;
  for (const auto& job : Jobs()) bytes += job->bytes();
  return bytes;
}

int Worker::Room() const {
  const int64_t held = BytesHeld();
  int64_t split = 1;
  for (const auto& job : Jobs()) split = std::max(split, job->split_bytes());
  MutexLock lock(mutex_);
  if (held >= options_.budget_bytes || draining_) return 0;
  const int idle = pace_.Wanted(num_making_);
  const int64_t fits = (options_.budget_bytes - held) / split - num_making_;
  // One that is larger than the budget is made when there is nothing else.
  const int64_t least = held == 0 && num_making_ == 0 ? 1 : 0;
  return static_cast<int>(std::clamp<int64_t>(fits, least, std::max<int64_t>(idle, least)));
}

void Worker::AwaitRoom() {
  const Clock::time_point end = Clock::now() + kRoomWait;
  while (Room() == 0 && Clock::now() < end && !stop_.stop_requested()) {
    MutexLock lock(mutex_);
    changed_.wait_for(mutex_, kRoomLook);
  }
}

v1::LeaseSplitsRequest Worker::NextLease(int max_splits) {
  v1::LeaseSplitsRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_max_splits(max_splits);
  request.set_wait_millis(kLeaseWait.count());
  request.set_num_batches(num_batches_);
  request.set_num_bytes(num_bytes_);
  WorkerUsage::Jobs jobs;
  {
    MutexLock lock(mutex_);
    *request.mutable_worker() = self_;
    jobs = jobs_;
  }
  usage_.Divide(jobs);
  for (const auto& [id, job] : jobs) {
    request.add_job_ids(id);
    auto* const work = request.add_work();
    work->set_job_id(id);
    *work->mutable_work() = ToMessage(job->work());
    *work->mutable_usage() = rpc::ToMessage(job->account()->Total());
  }
  return request;
}

void Worker::ReportIdle() {
  {
    MutexLock lock(mutex_);
    const Clock::time_point now = Clock::now();
    if (num_making_ > 0 || now - idle_reported_ < kIdleReports) return;
    idle_reported_ = now;
  }
  const v1::LeaseSplitsRequest report = NextLease(/*max_splits=*/0);
  if (report.worker().incarnation() == 0) return;
  // The next request says the same.
  dispatcher_.LeaseSplits(report).status().IgnoreError();
}

void Worker::NoteMetrics() {
  const auto now = std::chrono::steady_clock::now();
  if (now - metrics_noted_ < kMetricsInterval) return;
  metrics_noted_ = now;
  std::map<int64_t, std::shared_ptr<WorkerJob>> jobs;
  {
    MutexLock lock(mutex_);
    jobs = jobs_;
  }
  for (const auto& [id, job] : jobs) metrics_.Note(id, job->work());
}

absl::Status Worker::LeaseOnce() {
  NoteMetrics();
  // One that failed is repeated as it was: what it was given is its own.
  if (!lease_) {
    AwaitRoom();
    lease_ = NextLease(Room());
  }
  const v1::LeaseSplitsRequest request = *lease_;
  const bool is_registered = request.worker().incarnation() != 0;
  const auto answer = is_registered ? dispatcher_.LeaseSplits(request)
                                    : absl::StatusOr<v1::LeaseSplitsResponse>(NotFound("new"));
  if (answer.status().code() == absl::StatusCode::kNotFound) {
    lease_.reset();
    return Register();
  }
  if (stop_.stop_requested()) return absl::OkStatus();
  RETURN_IF_ERROR(answer.status());
  lease_.reset();
  if (answer->finished_job_ids_size() > 0) metrics_noted_ = {};
  NoteMetrics();
  for (const int64_t job : answer->finished_job_ids()) {
    Forget(job);
    metrics_.Forget(job);
  }
  MutexLock lock(mutex_);
  draining_ = draining_ || answer->draining();
  for (const v1::Split& split : answer->splits()) {
    ++num_making_;
    pool_->Submit([this, split, incarnation = request.worker().incarnation()] {
      MakeSplit(split, incarnation);
    });
  }
  return absl::OkStatus();
}

std::vector<std::shared_ptr<WorkerJob>> Worker::Jobs() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<WorkerJob>> jobs;
  for (const auto& [id, job] : jobs_) jobs.push_back(job);
  return jobs;
}

std::shared_ptr<WorkerJob> Worker::JobOf(int64_t job_id) {
  MutexLock lock(mutex_);
  std::shared_ptr<WorkerJob>& job = jobs_[job_id];
  if (job == nullptr) {
    const auto open = [this, job_id]() -> absl::StatusOr<OpenedJob> {
      ASSIGN_OR_RETURN(const v1::GetJobResponse known, dispatcher_.GetJob(job_id));
      return open_(known);
    };
    job = std::make_shared<WorkerJob>(open, options_.num_threads);
  }
  return job;
}

void Worker::Forget(int64_t job_id) {
  std::shared_ptr<WorkerJob> job;
  {
    MutexLock lock(mutex_);
    pace_.Forget(job_id);
    const auto it = jobs_.find(job_id);
    if (it == jobs_.end()) return;
    job = std::move(it->second);
    jobs_.erase(it);
  }
  job->Close(absl::OkStatus());
}

bool Worker::IsOver(int64_t incarnation) const {
  MutexLock lock(mutex_);
  return stop_.stop_requested() || self_.incarnation() != incarnation;
}

bool Worker::Put(WorkerJob& job, const v1::Split& split, int64_t number,
                 loader::TrainingBatch made) {
  BatchMessage message = {.lane = split.lane(),
                          .number = number,
                          .attempt = split.attempt(),
                          .rows = std::move(made.rows),
                          .num_skipped = made.num_skipped,
                          .num_filtered = made.num_filtered,
                          .reason = std::move(made.reason)};
  ++num_batches_;
  num_bytes_ += BytesOf(message);
  return job.Put(std::move(message));
}

absl::StatusOr<bool> Worker::MakePiece(WorkerJob& job, const loader::BatchMaker& maker,
                                       const v1::Split& split, int64_t from, int64_t to) {
  ASSIGN_OR_RETURN(std::vector<loader::TrainingBatch> made,
                   maker.Make(from, to, stop_.get_token()));
  RETURN_IF_FAILPOINT("preprocess_worker.after_making");
  for (loader::TrainingBatch& batch : made) {
    if (!Put(job, split, from++, std::move(batch))) return false;
  }
  return true;
}

absl::Status Worker::MakeBatches(const std::shared_ptr<WorkerJob>& job, const v1::Split& split,
                                 int64_t incarnation) {
  ASSIGN_OR_RETURN(const loader::BatchMaker* const maker, job->MakerOf(split.lane()));
  if (split.from_batch() < 0 || split.to_batch() > maker->end()) {
    return InvalidArgument("the job has {} batches, so it has none up to {}", maker->end(),
                           split.to_batch());
  }
  job->BeginSplit((split.to_batch() - split.from_batch()) * maker->batch_bytes());
  const int64_t together = maker->BatchesTogether(kPieceBytes);
  for (int64_t from = split.from_batch(); from < split.to_batch(); from += together) {
    if (IsOver(incarnation)) return absl::OkStatus();
    const int64_t to = std::min(from + together, split.to_batch());
    ASSIGN_OR_RETURN(const bool is_wanted, MakePiece(*job, *maker, split, from, to));
    if (!is_wanted) return absl::OkStatus();
    RETURN_IF_FAILPOINT("preprocess_worker.after_putting");
  }
  return absl::OkStatus();
}

void Worker::Fail(const std::shared_ptr<WorkerJob>& job, const v1::Split& split,
                  const absl::Status& why) {
  if (stop_.stop_requested()) return;
  log::Warn("cannot make a split", {{"job", std::to_string(split.job_id())},
                                    {"batch", std::to_string(split.from_batch())},
                                    {"error", std::string(why.message())}});
  // Its consumers hear why; the job may be opened again when they try again.
  job->Close(why);
  MutexLock lock(mutex_);
  pace_.Forget(split.job_id());
  const auto it = jobs_.find(split.job_id());
  if (it != jobs_.end() && it->second == job) jobs_.erase(it);
}

void Worker::MakeSplit(const v1::Split& split, int64_t incarnation) {
  LowerThreadPriority();  // Below the threads that lease and send, and a consumer on this host.
  if (!IsOver(incarnation)) {
    const Clock::time_point began = Clock::now();
    const std::shared_ptr<WorkerJob> job = JobOf(split.job_id());
    {
      MutexLock lock(mutex_);
      pace_.Begin(split.job_id());
    }
    const absl::Status made = [&] {
      const usage::Scope scope(job->account());
      return MakeBatches(job, split, incarnation);
    }();
    if (!made.ok()) Fail(job, split, made);
    const Clock::duration took = Clock::now() - began;
    MutexLock lock(mutex_);
    pace_.Note(split.job_id(), took);
  }
  {
    MutexLock lock(mutex_);
    --num_making_;
    changed_.notify_all();
  }
  ReportIdle();
}

void Worker::Expect(const v1::ReadBatchesRequest::Open& request) {
  if (request.lanes().empty()) return;
  // Open() reports errors, and the dispatcher says when there is no such job. Does not run on the
  // pool: its threads make splits, at a low priority.
  opener_->Submit([this, job = JobOf(request.job_id()), lane = request.lanes(0)] {
    const usage::Scope scope(job->account());
    if (!stop_.stop_requested()) job->MakerOf(lane).status().IgnoreError();
  });
}

absl::StatusOr<std::shared_ptr<Outbox>> Worker::Open(const v1::ReadBatchesRequest::Open& request,
                                                     const rpc::JobScope& scope) {
  {
    MutexLock lock(mutex_);
    if (request.worker().worker_id() != self_.worker_id() ||
        request.worker().incarnation() != self_.incarnation()) {
      return FailedPrecondition("this is incarnation {} of worker {}, not {}", self_.incarnation(),
                                CalledName(), request.worker().incarnation());
    }
  }
  const std::shared_ptr<WorkerJob> job = JobOf(request.job_id());
  auto outbox = std::make_shared<Outbox>(
      std::vector<int32_t>(request.lanes().begin(), request.lanes().end()));
  for (const int32_t lane : request.lanes()) {
    absl::Status known = job->MakerOf(lane).status();
    if (known.ok()) continue;
    Forget(request.job_id());
    return known;
  }
  RETURN_IF_ERROR(job->Admit(scope));
  job->Attach(outbox);
  return outbox;
}

void Worker::Drain(std::chrono::milliseconds patience) {
  v1::WorkerIncarnation self;
  bool is_idle = false;
  {
    MutexLock lock(mutex_);
    draining_ = true;
    self = self_;
    is_idle = num_making_ == 0;
  }
  is_idle = is_idle && BytesHeld() == 0;
  // A worker with nothing to finish is not missed, and need not wait for a dispatcher that ends as
  // well.
  if (self.incarnation() == 0 || is_idle) return;
  const absl::Status told = dispatcher_.DrainWorker(self.worker_id(), patience / 2);
  if (!told.ok()) return;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    bool has_made = false;
    {
      MutexLock lock(mutex_);
      has_made = num_making_ == 0;
    }
    // By now the batches that it was making are held, if they were not sent.
    if (has_made && BytesHeld() == 0) return;
    MutexLock lock(mutex_);
    changed_.wait_for(mutex_, kRoomWait);
  }
}

}  // namespace tidemill::preprocess

#include "preprocess/dispatcher/dispatcher.h"

#include <future>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/names.h"
#include "base/time.h"
#include "db/fencing.h"
#include "db/migrations.h"
#include "preprocess/dispatcher/workers_table.h"
#include "preprocess/migrations.h"

namespace tidemill::preprocess {
namespace {

constexpr char kSchema[] = "preprocess";

// How much longer than it asked for a request waits to be looked at for the first time, while the
// thread that writes is busy.
constexpr std::chrono::milliseconds kNoPatience{0};
constexpr std::chrono::milliseconds kWriterPatience{1000};
// Workers may come under ever new names; who wonders about one that is lost does so soon.
constexpr std::chrono::hours kLostKept{1};

std::chrono::microseconds Micros(Duration length) {
  return std::chrono::microseconds(length.micros);
}

absl::Status CheckLane(int index, const v1::Lane& lane) {
  if (lane.first_batch() < 0 || lane.end_batch() < lane.first_batch()) {
    return InvalidArgument("lane {} has batches [{}, {})", index, lane.first_batch(),
                           lane.end_batch());
  }
  if (lane.shard() < 0) return InvalidArgument("lane {} has shard {}", index, lane.shard());
  return absl::OkStatus();
}

absl::Status CheckJob(const v1::CreateJobRequest& request) {
  RETURN_IF_ERROR(CheckLabel("job's name", request.name()));
  if (request.split_batches() < 1) {
    return InvalidArgument("a split has at least one batch, not {}", request.split_batches());
  }
  if (!v1::Guarantee_IsValid(request.guarantee()) ||
      request.guarantee() == v1::GUARANTEE_UNSPECIFIED) {
    return InvalidArgument("job {} does not say what it guarantees", request.name());
  }
  bool has_batches = false;
  for (int i = 0; i < request.lanes_size(); ++i) {
    const v1::Lane& lane = request.lanes(i);
    RETURN_IF_ERROR(CheckLane(i, lane));
    has_batches = has_batches || lane.end_batch() > lane.first_batch();
  }
  if (!has_batches) return InvalidArgument("job {} has no batches", request.name());
  return absl::OkStatus();
}

// ALREADY_EXISTS when there is a job of this name that differs.
absl::StatusOr<StoredJob> FindOrInsert(JobsTable jobs, const v1::CreateJobRequest& request) {
  std::optional<int64_t> job_id = jobs.Insert(request);
  if (!job_id) {
    job_id = jobs.Find(request.name());
    if (!job_id) return Unavailable("job {} ended meanwhile", request.name());
    const std::string difference = jobs.Difference(*job_id, request);
    if (!difference.empty()) {
      return AlreadyExists("there is a job {} that differs in: {}", request.name(), difference);
    }
  }
  return std::move(jobs.Load(*job_id).at(0));
}

}  // namespace

Dispatcher::Dispatcher(db::Database& database, const DispatcherConfig& config, NowFunction now)
    : database_(database),
      config_(config),
      now_(std::move(now)),
      metrics_(metrics::Process()),
      writer_("dispatcher-writer", 1) {}

Dispatcher::~Dispatcher() { Stop(); }

absl::StatusOr<std::unique_ptr<Dispatcher>> Dispatcher::Open(db::Database& database,
                                                             const DispatcherConfig& config,
                                                             NowFunction now) {
  RETURN_IF_ERROR(db::Migrate(database, kSchema, kMigrations));
  return std::unique_ptr<Dispatcher>(new Dispatcher(database, config, std::move(now)));
}

// What memory does not have after a restart: which batches beyond done_before are done, who reads
// which lane, and what lies in between. Nothing is issued of a lane before its consumer has
// reported (see Lane::NextWaiting), and that report says what is done, so that no batch that was
// done before the restart is issued after it, however old the done_before of the row is. With
// AT_MOST_ONCE the rows never know of too few leases, for a lease is durable before the worker
// hears of it.
absl::Status Dispatcher::Recover() {
  std::vector<StoredJob> stored;
  std::vector<WorkerFacts> workers;
  int64_t num_rows = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    term_ = IssueTable(work).BeginTerm();
    JobsTable jobs(work);
    workers = WorkersTable(work).List();
    stored = jobs.Load(std::nullopt);
    num_rows = jobs.num_rows() + std::ssize(workers);
    return absl::OkStatus();
  }));
  MutexLock lock(mutex_);
  const Clock::time_point now = now_();
  for (WorkerFacts& worker : workers) workers_.Install(std::move(worker), now);
  for (StoredJob& job : stored) RETURN_IF_ERROR(Install(std::move(job)));
  GiveUpLeases([&](const Incarnation& worker)
                   ABSL_NO_THREAD_SAFETY_ANALYSIS { return !workers_.IsAlive(worker); });
  recovered_ = true;
  metrics_.recovered_rows.Set(static_cast<double>(num_rows));
  CountAll();
  log::Info("dispatcher recovered", {{"jobs", std::to_string(jobs_.size())},
                                     {"workers", std::to_string(workers_.all().size())},
                                     {"rows", std::to_string(num_rows)}});
  return absl::OkStatus();
}

absl::Status Dispatcher::CheckServing() {
  if (!recovered_) return Unavailable("the dispatcher is starting");
  if (stopping_) return Unavailable("the dispatcher is stopping");
  return absl::OkStatus();
}

absl::Status Dispatcher::Transact(const std::function<absl::Status(pqxx::work&)>& body) {
  return database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(IssueTable(work).CheckTerm(term_));
    return body(work);
  });
}

absl::Status Dispatcher::OnWriter(const std::function<absl::Status()>& body) {
  {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(CheckServing());
  }
  std::promise<absl::Status> result;
  writer_.Submit([&] { result.set_value(body()); });
  return result.get_future().get();
}

absl::StatusOr<int64_t> Dispatcher::CreateJob(const v1::CreateJobRequest& request) {
  RETURN_IF_ERROR(CheckJob(request));
  int64_t job_id = 0;
  RETURN_IF_ERROR(OnWriter([&]() -> absl::Status {
    StoredJob stored;
    RETURN_IF_ERROR(Transact([&](pqxx::work& work) -> absl::Status {
      RETURN_IF_ERROR(db::CheckFence(work, kSchema, request.command()));
      ASSIGN_OR_RETURN(stored, FindOrInsert(JobsTable(work), request));
      return absl::OkStatus();
    }));
    job_id = stored.facts.job_id;
    MutexLock lock(mutex_);
    return Install(std::move(stored));
  }));
  return job_id;
}

absl::StatusOr<v1::GetJobResponse> Dispatcher::GetJob(int64_t job_id) {
  {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(CheckServing());
    if (FindJob(job_id) == nullptr) return NotFound("job {} is finished or unknown", job_id);
  }
  std::optional<v1::GetJobResponse> job;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    job = JobsTable(work).Get(job_id);
    return absl::OkStatus();
  }));
  if (!job) return NotFound("job {} is finished or unknown", job_id);
  return *std::move(job);
}

absl::Status Dispatcher::FinishJob(const rpc::v1::Command& command, int64_t job_id) {
  return OnWriter([&] { return RemoveJob(command, job_id); });
}

// The job is over in memory before its rows go, so that nothing is issued of it meanwhile, and
// stays so when it is not known whether they went: Tick() tries again.
absl::Status Dispatcher::RemoveJob(const rpc::v1::Command& command, int64_t job_id) {
  RETURN_IF_ERROR(
      Transact([&](pqxx::work& work) { return db::CheckFence(work, kSchema, command); }));
  const auto mark = [&](bool removing) {
    MutexLock lock(mutex_);
    const auto it = jobs_.find(job_id);
    if (it == jobs_.end()) return;
    it->second->ending = true;
    it->second->removing = removing;
  };
  mark(true);
  absl::Status removed = Transact([&](pqxx::work& work) {
    JobsTable(work).Delete(job_id);
    return absl::OkStatus();
  });
  if (!removed.ok()) {
    mark(false);
    return removed;
  }
  MutexLock lock(mutex_);
  if (jobs_.erase(job_id) > 0) log::Info("job ended", {{"id", std::to_string(job_id)}});
  CountAll();
  return absl::OkStatus();
}

v1::ListJobsResponse Dispatcher::ListJobs() {
  v1::ListJobsResponse response;
  MutexLock lock(mutex_);
  for (const auto& [id, job] : jobs_) {
    if (!job->ending) *response.add_jobs() = job->Describe();
  }
  return response;
}

absl::StatusOr<Incarnation> Dispatcher::RegisterWorker(const v1::RegisterWorkerRequest& request) {
  RETURN_IF_ERROR(CheckLabel("worker's name", request.name()));
  RETURN_IF_ERROR(CheckLabel("worker's endpoint", request.endpoint()));
  for (const std::string* const optional : {&request.boot_id(), &request.ring_socket()}) {
    if (!optional->empty()) RETURN_IF_ERROR(CheckLabel("worker's host or socket", *optional));
  }
  Incarnation registered;
  Answers answers;
  absl::Status status = OnWriter([&]() -> absl::Status {
    std::vector<int64_t> forgotten;
    {
      MutexLock lock(mutex_);
      forgotten = workers_.ForgetLost(now_(), kLostKept);
    }
    RETURN_IF_ERROR(Transact([&](pqxx::work& work) {
      WorkersTable(work).Forget(forgotten);
      registered = WorkersTable(work).Register(request);
      return absl::OkStatus();
    }));
    MutexLock lock(mutex_);
    workers_.Install({.incarnation = registered,
                      .name = request.name(),
                      .endpoint = request.endpoint(),
                      .boot_id = request.boot_id(),
                      .ring_socket = request.ring_socket(),
                      .num_threads = request.num_threads()},
                     now_());
    const auto is_over = [&](const Incarnation& worker) {
      return worker.worker_id == registered.worker_id && worker != registered;
    };
    GiveUpLeases(is_over);
    answers = AnswerWaiters([&](const Waiter& waiter) { return is_over(waiter.worker); });
    CountAll();
    return absl::OkStatus();
  });
  Send(std::move(answers));
  RETURN_IF_ERROR(status);
  log::Info("worker registered", {{"worker", request.name()},
                                  {"id", std::to_string(registered.worker_id)},
                                  {"incarnation", std::to_string(registered.number)},
                                  {"endpoint", request.endpoint()}});
  return registered;
}

absl::Status Dispatcher::DrainWorker(int64_t worker_id) {
  Answers answers;
  absl::Status status = OnWriter([&]() -> absl::Status {
    RETURN_IF_ERROR(Transact([&](pqxx::work& work) -> absl::Status {
      if (WorkersTable(work).Drain(worker_id)) return absl::OkStatus();
      return NotFound("worker {} is unknown", worker_id);
    }));
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(workers_.Drain(worker_id));
    answers =
        AnswerWaiters([&](const Waiter& waiter) { return waiter.worker.worker_id == worker_id; });
    CountAll();
    return absl::OkStatus();
  });
  Send(std::move(answers));
  return status;
}

v1::ListWorkersResponse Dispatcher::ListWorkers() {
  v1::ListWorkersResponse response;
  const int64_t wall = Now().micros;
  MutexLock lock(mutex_);
  const Clock::time_point now = now_();
  std::map<int64_t, int32_t> num_leased = CountLeases();
  for (const auto& [id, worker] : workers_.all()) {
    v1::Worker& described = *response.add_workers();
    described = Describe(worker);
    described.set_num_leased(num_leased[id]);
    described.set_last_seen(
        wall -
        std::chrono::duration_cast<std::chrono::microseconds>(now - worker.last_seen).count());
  }
  return response;
}

absl::StatusOr<v1::ReportProgressResponse> Dispatcher::ReportProgress(
    const v1::ReportProgressRequest& request) {
  if (!request.consumer().empty()) RETURN_IF_ERROR(CheckLabel("consumer", request.consumer()));
  v1::ReportProgressResponse response;
  MutexLock lock(mutex_);
  RETURN_IF_ERROR(CheckServing());
  Job* const job = FindJob(request.job_id());
  if (job == nullptr) return NotFound("job {} is finished or unknown", request.job_id());
  ASSIGN_OR_RETURN(const int64_t num_broken, job->Report(request, now_()));
  metrics_.leases_lost.Add(static_cast<double>(num_broken));
  for (const v1::LaneProgress& progress : request.lanes()) {
    for (const auto& [from, to] : job->lanes()[static_cast<size_t>(progress.lane())].Lost()) {
      v1::ReportProgressResponse::Lost& lost = *response.add_lost();
      lost.set_lane(progress.lane());
      lost.set_from_batch(from);
      lost.set_to_batch(to);
    }
  }
  *response.mutable_work() = job->Work();
  std::map<int64_t, int32_t> num_leased;
  bool counted = false;
  for (const auto& [id, worker] : workers_.all()) {
    if (worker.facts.lost) continue;
    if (worker.facts.draining && !std::exchange(counted, true)) num_leased = CountLeases();
    if (worker.facts.draining && num_leased[id] == 0) continue;
    v1::Worker& described = *response.add_workers();
    described = Describe(worker);
    described.set_num_leased(num_leased[id]);
  }
  if (!waiters_.empty()) ScheduleRound();
  return response;
}

void Dispatcher::Tick() {
  Answers answers;
  {
    MutexLock lock(mutex_);
    LoseSilentWorkers();
    const Clock::time_point now = now_();
    answers = AnswerWaiters([&](const Waiter& waiter) ABSL_NO_THREAD_SAFETY_ANALYSIS {
      if (!workers_.IsAlive(waiter.worker)) return true;
      return waiter.deadline + (waiter.considered ? kNoPatience : kWriterPatience) <= now;
    });
    EndSilentJobs();
    if (HasChanges()) {
      write_due_ = true;
      ScheduleRound();
    }
  }
  Send(std::move(answers));
}

void Dispatcher::LoseSilentWorkers() {
  const Clock::time_point now = now_();
  for (const Incarnation& worker : being_answered_) workers_.Hear(worker, now).IgnoreError();
  const std::vector<Incarnation> lost = workers_.LoseSilent(now, Micros(config_.worker_timeout));
  if (lost.empty()) return;
  GiveUpLeases([&](const Incarnation& worker)
                   ABSL_NO_THREAD_SAFETY_ANALYSIS { return !workers_.IsAlive(worker); });
  metrics_.workers_lost.Add(static_cast<double>(lost.size()));
  for (const Incarnation& worker : lost) {
    log::Warn("worker lost", {{"id", std::to_string(worker.worker_id)},
                              {"incarnation", std::to_string(worker.number)}});
  }
  CountAll();
}

void Dispatcher::EndSilentJobs() {
  const Clock::time_point now = now_();
  for (auto& [id, job] : jobs_) {
    if (!job->ending && now - job->last_heard() > Micros(config_.consumer_timeout)) {
      job->ending = true;
      metrics_.jobs_collected.Add();
      log::Warn("job has no consumers", {{"job", job->facts().name}, {"id", std::to_string(id)}});
    }
    if (!job->ending || job->removing) continue;
    job->removing = true;
    writer_.Submit([this, job_id = id] {
      const absl::Status status = RemoveJob({}, job_id);
      if (status.ok()) return;
      log::Warn("cannot end job", {{"id", std::to_string(job_id)}, {"error", status.ToString()}});
    });
  }
}

void Dispatcher::Stop() {
  Answers answers;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    for (Waiter& waiter : waiters_) {
      answers.push_back({std::move(waiter.done), Unavailable("the dispatcher is stopping")});
    }
    waiters_.clear();
  }
  Send(std::move(answers));
}

absl::Status Dispatcher::Install(StoredJob stored) {
  const int64_t job_id = stored.facts.job_id;
  std::unique_ptr<Job>& job = jobs_[job_id];
  if (job != nullptr && job->ending) {
    return Unavailable("an earlier job {} is being removed", stored.facts.name);
  }
  if (job != nullptr) return absl::OkStatus();
  log::Info("job known", {{"job", stored.facts.name}, {"id", std::to_string(job_id)}});
  job = std::make_unique<Job>(std::move(stored.facts), std::move(stored.lanes), now_());
  CountAll();
  return absl::OkStatus();
}

Job* Dispatcher::FindJob(int64_t job_id) {
  const auto it = jobs_.find(job_id);
  return it == jobs_.end() || it->second->ending ? nullptr : it->second.get();
}

std::map<int64_t, int32_t> Dispatcher::CountLeases() const {
  std::map<int64_t, int32_t> num_leased;
  for (const auto& [id, job] : jobs_) {
    for (const Lane& lane : job->lanes()) lane.CountLeases(num_leased);
  }
  return num_leased;
}

void Dispatcher::GiveUpLeases(const std::function<bool(const Incarnation&)>& is_gone) {
  int64_t num_given_up = 0;
  for (auto& [id, job] : jobs_) num_given_up += job->Lose(is_gone);
  metrics_.leases_lost.Add(static_cast<double>(num_given_up));
  if (num_given_up > 0 && !waiters_.empty()) ScheduleRound();
}

void Dispatcher::CountAll() {
  int64_t alive = 0, draining = 0, lost = 0;
  for (const auto& [id, worker] : workers_.all()) {
    ++(worker.facts.lost ? lost : worker.facts.draining ? draining : alive);
  }
  metrics_.workers.Set(static_cast<double>(alive), "alive");
  metrics_.workers.Set(static_cast<double>(draining), "draining");
  metrics_.workers.Set(static_cast<double>(lost), "lost");
  metrics_.jobs.Set(static_cast<double>(jobs_.size()));
}

}  // namespace tidemill::preprocess

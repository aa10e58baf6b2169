#include "preprocess/dispatcher/dispatcher.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/logs/log.h"
#include "base/names.h"
#include "base/time.h"
#include "db/fencing.h"
#include "db/migrations.h"
#include "preprocess/dispatcher/job_request.h"
#include "preprocess/dispatcher/jobs_table.h"
#include "preprocess/dispatcher/workers_table.h"
#include "preprocess/migrations.h"

// The way of a lease is drawn in dispatcher.h.

namespace tidemill::preprocess {
namespace {

constexpr char kSchema[] = "preprocess";
constexpr int64_t kMaxWaitMillis = 1000;
// The most splits of one request: a worker takes as many as it has threads.
constexpr int32_t kMaxSplits = 4096;

// While the writing thread is busy, a request waits for its first round this much longer than it
// asked.
constexpr std::chrono::milliseconds kNoPatience{0};
constexpr std::chrono::milliseconds kWriterPatience{1000};
// Workers may come under ever new names; who wonders about one that is lost does so soon.
constexpr std::chrono::hours kLostKept{1};

constexpr size_t kMaxDistrustBytes = 1000;

std::chrono::microseconds Micros(Duration length) {
  return std::chrono::microseconds(length.micros);
}

// ALREADY_EXISTS when there is a job of this name that differs.
absl::StatusOr<StoredJob> FindOrInsert(JobsTable jobs, const v1::CreateJobRequest& request,
                                       const rpc::JobScope& caller) {
  if (std::optional<StoredJob> inserted = jobs.Insert(request, caller.claims())) {
    return *std::move(inserted);
  }
  const std::optional<int64_t> job_id = jobs.Find(request.name());
  if (!job_id) return Unavailable("job {} ended in the meantime", request.name());
  const std::string difference = jobs.Difference(*job_id, request);
  if (!difference.empty()) {
    return AlreadyExists("there is already a job {} that differs in: {}", request.name(),
                         difference);
  }
  StoredJob stored = std::move(jobs.Load(job_id).at(0));
  RETURN_IF_ERROR(caller.CheckHolder(stored.facts.holder));
  return stored;
}

}  // namespace

Dispatcher::Dispatcher(db::Database& database, const DispatcherConfig& config, NowFunction now)
    : database_(database),
      config_(config),
      now_(std::move(now)),
      metrics_(metrics::Process()),
      queue_(metrics_),
      writer_(database, metrics_) {}

Dispatcher::~Dispatcher() { Stop(); }

absl::StatusOr<std::unique_ptr<Dispatcher>> Dispatcher::Open(db::Database& database,
                                                             const DispatcherConfig& config,
                                                             NowFunction now) {
  RETURN_IF_ERROR(db::Migrate(database, kSchema, kMigrations));
  return std::unique_ptr<Dispatcher>(new Dispatcher(database, config, std::move(now)));
}

// What memory does not have after a restart: how far consumers have come since the rows were
// written, and who reads which lane. Nothing is issued of a lane before its consumer has reported
// (see Lane::NextWaiting), and that report says what is done, so that no batch that was done before
// the restart is issued after it, however old the done_before of the row is.
absl::Status Dispatcher::Recover() {
  std::vector<StoredJob> stored;
  std::vector<KnownWorker> workers;
  int64_t num_rows = 0;
  RETURN_IF_ERROR(writer_.BeginTerm([&](pqxx::work& work) {
    JobsTable jobs(work);
    workers = WorkersTable(work).List();
    stored = jobs.Load(std::nullopt);
    num_rows = jobs.num_rows() + std::ssize(workers);
    return absl::OkStatus();
  }));
  MutexLock lock(mutex_);
  const Clock::time_point now = now_();
  for (KnownWorker& worker : workers) assignments_.workers().Install(std::move(worker), now);
  for (StoredJob& job : stored) RETURN_IF_ERROR(assignments_.Install(std::move(job), now));
  GiveUpLeases([&](const Incarnation& worker) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return !assignments_.workers().IsAlive(worker);
  });
  recovered_ = true;
  metrics_.recovered_rows.Set(static_cast<double>(num_rows));
  CountAll();
  log::Info("dispatcher recovered",
            {{"jobs", std::to_string(assignments_.jobs().size())},
             {"workers", std::to_string(assignments_.workers().all().size())},
             {"rows", std::to_string(num_rows)}});
  return absl::OkStatus();
}

absl::Status Dispatcher::CheckServing() {
  if (!recovered_) return Unavailable("the dispatcher is starting");
  if (stopping_) return Unavailable("the dispatcher is stopping");
  return absl::OkStatus();
}

absl::Status Dispatcher::OnWriter(const std::function<absl::Status()>& body) {
  {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(CheckServing());
  }
  return writer_.Run(body);
}

absl::StatusOr<int64_t> Dispatcher::CreateJob(const v1::CreateJobRequest& request,
                                              const rpc::JobScope& caller) {
  RETURN_IF_ERROR(caller.CheckCommand(request.command()));
  RETURN_IF_ERROR(CheckJob(request));
  int64_t job_id = 0;
  RETURN_IF_ERROR(OnWriter([&]() -> absl::Status {
    StoredJob stored;
    RETURN_IF_ERROR(writer_.Transact([&](pqxx::work& work) -> absl::Status {
      RETURN_IF_ERROR(db::CheckFence(work, kSchema, request.command()));
      ASSIGN_OR_RETURN(stored, FindOrInsert(JobsTable(work), request, caller));
      return absl::OkStatus();
    }));
    job_id = stored.facts.job_id;
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(assignments_.Install(std::move(stored), now_()));
    CountAll();
    return absl::OkStatus();
  }));
  return job_id;
}

absl::StatusOr<v1::GetJobResponse> Dispatcher::GetJob(int64_t job_id) {
  {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(CheckServing());
    const Job* const known = assignments_.FindJob(job_id);
    if (known == nullptr) return NotFound("job {} is finished or unknown", job_id);
    if (known->answer()) return *known->answer();
  }
  std::optional<v1::GetJobResponse> job;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    job = JobsTable(work).Get(job_id);
    return absl::OkStatus();
  }));
  if (!job) return NotFound("job {} is finished or unknown", job_id);
  return *std::move(job);
}

absl::Status Dispatcher::FinishJob(const rpc::v1::Command& command, int64_t job_id,
                                   const rpc::JobScope& caller) {
  RETURN_IF_ERROR(caller.CheckCommand(command));
  if (caller.is_job()) {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(CheckServing());
    // One that is over has nothing left to finish.
    const Job* const job = assignments_.FindJob(job_id);
    if (job == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(caller.CheckHolder(job->facts().holder));
  }
  return OnWriter([&] { return RemoveJob(command, job_id); });
}

// The job is over in memory before its rows go, so that nothing is issued of it meanwhile, and
// stays so when it is not known whether they went: Tick() tries again.
absl::Status Dispatcher::RemoveJob(const rpc::v1::Command& command, int64_t job_id) {
  RETURN_IF_ERROR(
      writer_.Transact([&](pqxx::work& work) { return db::CheckFence(work, kSchema, command); }));
  const auto mark = [&](bool removing) {
    MutexLock lock(mutex_);
    assignments_.End(job_id, removing);
  };
  mark(true);
  absl::Status removed = writer_.Transact([&](pqxx::work& work) {
    JobsTable(work).Delete(job_id);
    return absl::OkStatus();
  });
  if (!removed.ok()) {
    mark(false);
    return removed;
  }
  MutexLock lock(mutex_);
  if (assignments_.Erase(job_id)) log::Info("job ended", {{"id", std::to_string(job_id)}});
  CountAll();
  return absl::OkStatus();
}

v1::ListJobsResponse Dispatcher::ListJobs() {
  v1::ListJobsResponse response;
  MutexLock lock(mutex_);
  for (const auto& [id, job] : assignments_.jobs()) {
    if (!job->ending) *response.add_jobs() = job->Describe();
  }
  return response;
}

absl::StatusOr<Incarnation> Dispatcher::RegisterWorker(const v1::RegisterWorkerRequest& request) {
  RETURN_IF_ERROR(CheckRegistration(request));
  KnownWorker known;
  LeaseAnswers answers;
  absl::Status status = OnWriter([&]() -> absl::Status {
    std::vector<int64_t> forgotten;
    {
      MutexLock lock(mutex_);
      forgotten = assignments_.workers().ForgetLost(now_(), kLostKept);
    }
    RETURN_IF_ERROR(writer_.Transact([&](pqxx::work& work) {
      WorkersTable(work).Forget(forgotten);
      known = WorkersTable(work).Register(request);
      return absl::OkStatus();
    }));
    MutexLock lock(mutex_);
    answers = Install(known);
    return absl::OkStatus();
  });
  Send(std::move(answers));
  RETURN_IF_ERROR(status);
  log::Info("worker registered", {{"worker", known.name},
                                  {"id", std::to_string(known.incarnation.member_id)},
                                  {"incarnation", std::to_string(known.incarnation.number)},
                                  {"endpoint", request.endpoint()}});
  return known.incarnation;
}

LeaseAnswers Dispatcher::Install(const KnownWorker& known) {
  Workers& workers = assignments_.workers();
  ReleaseLeasesOfLost(workers.MarkReplacedLost(known));
  workers.Install(known, now_());
  const auto is_over = [&](const Incarnation& worker) {
    return worker.member_id == known.incarnation.member_id && worker != known.incarnation;
  };
  GiveUpLeases(is_over);
  LeaseAnswers answers = queue_.AnswerIf(
      [&](const LeaseWaiter& waiter) { return is_over(waiter.worker); }, assignments_);
  CountAll();
  return answers;
}

absl::Status Dispatcher::DrainWorker(int64_t worker_id) {
  LeaseAnswers answers;
  absl::Status status = OnWriter([&]() -> absl::Status {
    RETURN_IF_ERROR(writer_.Transact([&](pqxx::work& work) -> absl::Status {
      if (WorkersTable(work).Drain(worker_id)) return absl::OkStatus();
      return NotFound("worker {} is unknown", worker_id);
    }));
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(assignments_.workers().Drain(worker_id));
    answers = queue_.AnswerIf(
        [&](const LeaseWaiter& waiter) { return waiter.worker.member_id == worker_id; },
        assignments_);
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
  std::map<int64_t, int32_t> num_leased = assignments_.CountLeases();
  for (const auto& [id, worker] : assignments_.workers().all()) {
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
    const v1::ReportProgressRequest& request, const rpc::JobScope& caller) {
  RETURN_IF_ERROR(caller.CheckCommand(request.command()));
  if (!request.consumer().empty()) RETURN_IF_ERROR(CheckLabel("consumer", request.consumer()));
  v1::ReportProgressResponse response;
  MutexLock lock(mutex_);
  RETURN_IF_ERROR(CheckServing());
  Job* const job = assignments_.FindJob(request.job_id());
  if (job == nullptr) return NotFound("job {} is finished or unknown", request.job_id());
  RETURN_IF_ERROR(caller.CheckHolder(job->facts().holder));
  for (const v1::DistrustedWorker& worker : request.distrusted()) {
    if (worker.reason().size() > kMaxDistrustBytes) {
      return InvalidArgument("a reason has {} bytes; the most is {}", worker.reason().size(),
                             kMaxDistrustBytes);
    }
  }
  ASSIGN_OR_RETURN(const Job::Reported reported, job->Report(request, now_()));
  metrics_.leases_lost.Add(static_cast<double>(reported.num_given_up));
  const std::vector<Incarnation> bad =
      assignments_.workers().MarkUnreliableLost(request, reported.late);
  metrics_.workers_distrusted.Add(static_cast<double>(bad.size()));
  ReleaseLeasesOfLost(bad);
  *response.mutable_work() = job->Work();
  *response.mutable_usage() = job->Usage();
  std::map<int64_t, int32_t> num_leased;
  bool counted = false;
  for (const auto& [id, worker] : assignments_.workers().all()) {
    if (worker.lost) continue;
    if (worker.draining && !std::exchange(counted, true)) num_leased = assignments_.CountLeases();
    if (worker.draining && num_leased[id] == 0) continue;
    v1::Worker& described = *response.add_workers();
    described = Describe(worker);
    described.set_num_leased(num_leased[id]);
  }
  if (!queue_.empty()) ScheduleRound();
  return response;
}

void Dispatcher::Lease(const v1::LeaseSplitsRequest& request, LeaseDone done) {
  LeaseAnswers answers;
  {
    MutexLock lock(mutex_);
    const auto wait = std::clamp<int64_t>(request.wait_millis(), 0, kMaxWaitMillis);
    LeaseWaiter waiter{.worker = IncarnationOf(request.worker()),
                       .request_id = request.command().request_id(),
                       .max_splits = request.max_splits(),
                       .deadline = now_() + std::chrono::milliseconds(wait),
                       .job_ids = {request.job_ids().begin(), request.job_ids().end()},
                       .done = std::move(done)};
    const auto is_earlier = [&](const LeaseWaiter& other) {
      return other.worker == waiter.worker && other.request_id == waiter.request_id;
    };
    if (auto answer = AnswerAtOnce(request, waiter); answer) {
      answers.push_back({std::move(waiter.done), *std::move(answer)});
    } else {
      // A retried request takes the place of the earlier one, whose caller no longer listens.
      answers = queue_.AnswerIf(is_earlier, assignments_);
      queue_.Add(std::move(waiter));
      ScheduleRound();
    }
  }
  Send(std::move(answers));
}

std::optional<absl::StatusOr<v1::LeaseSplitsResponse>> Dispatcher::AnswerAtOnce(
    const v1::LeaseSplitsRequest& request, const LeaseWaiter& waiter) {
  if (absl::Status serving = CheckServing(); !serving.ok()) return serving;
  const auto worker = assignments_.workers().RecordHeartbeat(waiter.worker, now_());
  if (!worker.ok()) return worker.status();
  (*worker)->num_batches = request.num_batches();
  (*worker)->num_bytes = request.num_bytes();
  for (const auto& done : request.work()) {
    Job* const job = assignments_.FindJob(done.job_id());
    if (job != nullptr) job->NoteWork(waiter.worker, done.work(), done.usage());
  }
  if (waiter.max_splits < 0 || waiter.max_splits > kMaxSplits) {
    return InvalidArgument("max_splits is {}; write a number from 0 to {}", waiter.max_splits,
                           kMaxSplits);
  }
  if (waiter.max_splits == 0) return queue_.Respond(waiter, assignments_);
  RETURN_IF_ERROR(CheckLabel("request id", waiter.request_id));
  return std::nullopt;
}

void Dispatcher::ScheduleRound() {
  if (round_scheduled_ || stopping_) return;
  round_scheduled_ = true;
  writer_.Submit([this] { Round(); });
}

// Progress alone is not worth a transaction each time that it makes a waiting request look again:
// it is written with the next leases, or when Tick() says so.
void Dispatcher::Round() {
  LeaseQueue::Waiters served;
  IssueChanges changes;
  bool has_leases = false;
  {
    MutexLock lock(mutex_);
    round_scheduled_ = false;
    if (stopping_) return;
    served = queue_.Decide(assignments_, now_());
    has_leases = std::any_of(served.begin(), served.end(),
                             [](const LeaseWaiter& waiter) { return !waiter.assigned.empty(); });
    if (has_leases || std::exchange(write_due_, false)) changes = assignments_.TakeChanges();
    for (const LeaseWaiter& waiter : served) being_answered_.push_back(waiter.worker);
  }
  const absl::Status written =
      changes.empty() ? absl::OkStatus() : writer_.Write(changes, has_leases);
  LeaseAnswers answers;
  {
    MutexLock lock(mutex_);
    LoseSilentWorkers();  // Before anybody counts as silent who waited for this.
    being_answered_.clear();
    if (!written.ok()) {
      log::Warn("cannot write leases", {{"error", written.ToString()}});
      assignments_.ReturnChanges(changes);  // For the next round, which the next Tick() starts.
    }
    for (LeaseWaiter& waiter : served) {
      answers.push_back(queue_.Conclude(waiter, written, assignments_));
    }
  }
  Send(std::move(answers));
}

void Dispatcher::Tick() {
  LeaseAnswers answers;
  {
    MutexLock lock(mutex_);
    LoseSilentWorkers();
    const Clock::time_point now = now_();
    answers = queue_.AnswerIf(
        [&](const LeaseWaiter& waiter) ABSL_NO_THREAD_SAFETY_ANALYSIS {
          if (!assignments_.workers().IsAlive(waiter.worker)) return true;
          return waiter.deadline + (waiter.considered ? kNoPatience : kWriterPatience) <= now;
        },
        assignments_);
    EndSilentJobs();
    if (assignments_.HasChanges()) {
      write_due_ = true;
      ScheduleRound();
    }
  }
  Send(std::move(answers));
}

void Dispatcher::LoseSilentWorkers() {
  const Clock::time_point now = now_();
  for (const Incarnation& worker : being_answered_)
    assignments_.workers().RecordHeartbeat(worker, now).IgnoreError();
  const std::vector<Incarnation> lost =
      assignments_.workers().MarkSilentLost(now, Micros(config_.worker_timeout));
  metrics_.workers_lost.Add(static_cast<double>(lost.size()));
  ReleaseLeasesOfLost(lost);
}

void Dispatcher::ReleaseLeasesOfLost(const std::vector<Incarnation>& lost) {
  if (lost.empty()) return;
  const Workers& workers = assignments_.workers();
  GiveUpLeases([&](const Incarnation& worker) { return !workers.IsAlive(worker); });
  for (const Incarnation& worker : lost) {
    log::Warn("worker lost", {{"id", std::to_string(worker.member_id)},
                              {"incarnation", std::to_string(worker.number)},
                              {"reason", WhyLost(workers.all().at(worker.member_id))}});
  }
  CountAll();
}

void Dispatcher::EndSilentJobs() {
  const Clock::time_point now = now_();
  for (auto& [id, job] : assignments_.jobs()) {
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
  LeaseAnswers answers;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    answers = queue_.RefuseAll(Unavailable("the dispatcher is stopping"));
  }
  Send(std::move(answers));
}

void Dispatcher::GiveUpLeases(const std::function<bool(const Incarnation&)>& is_gone) {
  const int64_t num_given_up = assignments_.GiveUp(is_gone);
  metrics_.leases_lost.Add(static_cast<double>(num_given_up));
  if (num_given_up > 0 && !queue_.empty()) ScheduleRound();
}

void Dispatcher::CountAll() {
  int64_t alive = 0, draining = 0, lost = 0;
  for (const auto& [id, worker] : assignments_.workers().all()) {
    ++(worker.lost ? lost : worker.draining ? draining : alive);
  }
  metrics_.workers.Set(static_cast<double>(alive), "alive");
  metrics_.workers.Set(static_cast<double>(draining), "draining");
  metrics_.workers.Set(static_cast<double>(lost), "lost");
  metrics_.jobs.Set(static_cast<double>(assignments_.jobs().size()));
}

}  // namespace tidemill::preprocess

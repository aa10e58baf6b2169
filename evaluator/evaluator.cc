#include "evaluator/evaluator.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "base/disk_full.h"
#include "base/logs/log.h"
#include "base/mutex.h"
#include "config/config.h"
#include "config/numbers.h"
#include "db/fencing.h"
#include "db/migrations.h"
#include "evaluator/client/evaluation_spec.h"
#include "evaluator/migrations.h"

namespace tidemill::evaluator {
namespace {

constexpr std::chrono::milliseconds kPauseBetweenAttempts{500};
constexpr size_t kMaxReasons = 5;

absl::Status Check(const v1::StartEvaluationRequest& request) {
  if (request.command().run_id() <= 0 || request.evaluation() < 0) {
    return InvalidArgument(
        "run {}, evaluation {}: the numbers of runs start at 1, those of evaluations at 0",
        request.command().run_id(), request.evaluation());
  }
  return config::ReadKept<EvaluationSpec>(request.evaluation_spec(), "evaluation").status();
}

// Where a job may run: on the slot that the request names, else as its spec says.
absl::StatusOr<config::DeviceChoice> DeviceOf(const v1::StartEvaluationRequest& request) {
  if (!request.slot().empty()) return config::ParseDevice(request.slot());
  ASSIGN_OR_RETURN(const auto spec,
                   config::ReadKept<EvaluationSpec>(request.evaluation_spec(), "evaluation"));
  return spec.device;
}

// The losses as one text for a person; empty when nothing was lost.
std::string Describe(const LostWindows& lost) {
  std::string text;
  const size_t num_shown = std::min(lost.reasons.size(), kMaxReasons);
  for (size_t i = 0; i < num_shown; ++i) {
    if (i > 0) text += "; ";
    text += lost.reasons[i];
  }
  if (lost.reasons.size() > num_shown) {
    text += fmt::format("; and {} more", lost.reasons.size() - num_shown);
  }
  return text;
}

// The rows of jobs are the only place of their totals.
std::string UsageNameOf(const JobKey& key) {
  return fmt::format("evaluation {}/{}", key.run.value, key.evaluation);
}

v1::WatchEvaluationResponse ToResponse(const JobKey& key, const JobRow& row) {
  v1::WatchEvaluationResponse response;
  response.mutable_usage()->set_name(UsageNameOf(key));
  *response.mutable_usage()->mutable_usage() = row.usage;
  switch (row.state) {
    case JobState::kUnfinished:
      response.set_state(v1::EVALUATION_STATE_QUEUED);
      break;
    case JobState::kDone:
      response.set_state(v1::EVALUATION_STATE_DONE);
      break;
    case JobState::kFailed:
      response.set_state(v1::EVALUATION_STATE_FAILED);
      break;
  }
  response.set_windows_done(row.windows_done);
  response.set_windows_total(row.windows_total);
  response.set_samples_done(row.samples_done);
  response.set_error(row.error);
  for (const rpc::v1::MeasureFault& fault : row.faults) *response.add_faults() = fault;
  response.set_seconds(row.seconds);
  response.set_num_prepared_here(row.num_prepared_here);
  response.set_num_prepared_at_workers(row.num_prepared_at_workers);
  response.set_num_found(row.num_found);
  return response;
}

void PauseBeforeAttempt(int attempt, const std::stop_token& stop) {
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  never.wait_for(mutex, stop, kPauseBetweenAttempts * (attempt - 1), [] { return false; });
}

bool HasEnded(const v1::WatchEvaluationResponse& progress) {
  return progress.state() == v1::EVALUATION_STATE_DONE ||
         progress.state() == v1::EVALUATION_STATE_FAILED;
}

}  // namespace

Evaluator::Evaluator(db::Database& database, const Places& places, JobRunner run_job)
    : database_(database),
      run_job_(std::move(run_job)),
      slots_("evaluations", places.devices, places.num_jobs, places.max_gpus) {}

Evaluator::~Evaluator() { Stop(); }

absl::StatusOr<std::unique_ptr<Evaluator>> Evaluator::Open(db::Database& database,
                                                           const Places& places,
                                                           JobRunner run_job) {
  RETURN_IF_ERROR(db::Migrate(database, "evaluator", kMigrations));
  return std::unique_ptr<Evaluator>(new Evaluator(database, places, std::move(run_job)));
}

std::vector<JobKey> Evaluator::Active() const {
  std::vector<JobKey> active;
  const JobKey end{.run = {std::numeric_limits<int64_t>::max()}};
  for (const Jobs::SharedJob& job : jobs_.List({}, end)) {
    MutexLock lock(mutex_);
    if (!jobs_.EndOf(*job) && in_slots_.contains(job->key())) active.push_back(job->key());
  }
  return active;
}

void Evaluator::EndJob(const JobKey& key) {
  if (const Jobs::SharedJob job = jobs_.Find(key)) {
    jobs_.Stop(*job, [](auto&) {});
    jobs_.Forget(*job);
  }
}

absl::Status Evaluator::Start(const v1::StartEvaluationRequest& request) {
  RETURN_IF_ERROR(Check(request));
  ASSIGN_OR_RETURN(const config::DeviceChoice device, DeviceOf(request));
  RETURN_IF_ERROR(slots_.Check(device));
  const JobKey key{.run = {request.command().run_id()}, .evaluation = request.evaluation()};
  std::optional<JobRow> row;
  bool reopened = false;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, "evaluator", request.command()));
    EvaluationsTable table(work);
    row = table.FindJob(key);
    reopened = row && row->state == JobState::kFailed;
    if (!row) table.InsertJob(key, request);
    if (reopened) table.Reopen(key);
    if (!row || reopened) row = table.FindJob(key);
    return absl::OkStatus();
  }));
  if (row->state != JobState::kUnfinished) return absl::OkStatus();
  if (!request.slot().empty()) {
    MutexLock lock(mutex_);
    in_slots_.insert(key);
  }
  Enqueue(key, *row, device, reopened);
  return absl::OkStatus();
}

void Evaluator::Enqueue(const JobKey& key, const JobRow& row, const config::DeviceChoice& device,
                        bool reopened) {
  // A job that has just failed may still be here when it is started again.
  const auto if_active = reopened ? Jobs::IfActive::kRunAgain : Jobs::IfActive::kJoin;
  const auto added = jobs_.Add(key, ToResponse(key, row), if_active);
  if (!added.ok() || !added->is_new) return;
  const std::string name = fmt::format("evaluation {} of run {}", key.evaluation, key.run.value);
  const absl::Status queued = slots_.Submit(
      device, name,
      [this, job = added->job](const rpc::v1::JobDevice& given) { RunToEnd(*job, given); });
  if (!queued.ok()) Refuse(*added->job, queued);
}

// A job of an earlier life, whose device this one does not have.
void Evaluator::Refuse(Jobs::Job& job, const absl::Status& why) {
  absl::Status ended;
  do {
    ended = Finish(job.key(), why);
  } while (!jobs_.End(job, ended));
  if (!absl::IsUnavailable(ended)) jobs_.Forget(job);
}

void Evaluator::RunToEnd(Jobs::Job& job, const rpc::v1::JobDevice& device) {
  absl::Status ended;
  do {
    const absl::Status status = RunAttempts(job, device);
    ended = job.stop().stop_requested() ? Cancelled("stopped") : Finish(job.key(), status);
  } while (!jobs_.End(job, ended));
  {
    MutexLock lock(mutex_);
    in_slots_.erase(job.key());
  }
  // Watchers find the end in the database.
  if (!absl::IsUnavailable(ended)) jobs_.Forget(job);
}

absl::Status Evaluator::RunAttempts(Jobs::Job& job, const rpc::v1::JobDevice& device) {
  const JobKey& key = job.key();
  jobs_.Begin(job, [&](auto& progress) {
    progress.set_state(v1::EVALUATION_STATE_RUNNING);
    progress.set_device(device.device());
  });
  const auto count = [&](const JobExecution::Progress& made) {
    jobs_.Update(job, [&](v1::WatchEvaluationResponse& progress) {
      progress.set_windows_done(progress.windows_done() + made.new_windows);
      progress.set_samples_done(progress.samples_done() + made.new_samples);
      *progress.mutable_usage()->mutable_usage() = made.usage;
    });
  };
  const std::stop_token stop = job.stop();
  absl::Status status = Cancelled("the evaluation was stopped");
  for (int attempt = 1; attempt <= kMaxAttempts && !stop.stop_requested(); ++attempt) {
    if (attempt > 1) PauseBeforeAttempt(attempt, stop);
    JobExecution execution(database_, key, device, count);
    status = execution.Run(run_job_, stop);
    const bool may_pass = absl::IsUnavailable(status) || absl::IsAborted(status);
    if (!may_pass || IsDiskFull(status)) return status;
    log::Warn("an evaluation was interrupted",
              {{"run", std::to_string(key.run.value)}, {"error", status.ToString()}});
    if (execution.windows_written() > 0) attempt = 1;
  }
  return status;
}

absl::Status Evaluator::Finish(const JobKey& key, const absl::Status& status) {
  // Nothing is wrong with an evaluation that finds no room, no service or no database.
  absl::Status why = absl::IsUnavailable(status) ? status : WriteEnd(key, status);
  if (why.ok()) return why;
  log::Error("an evaluation is left unfinished",
             {{"run", std::to_string(key.run.value)}, {"error", why.ToString()}});
  return absl::IsUnavailable(why) ? why : absl::UnavailableError(why.message());
}

absl::Status Evaluator::WriteEnd(const JobKey& key, const absl::Status& status) {
  return database_.Transact([&](pqxx::work& work) {
    EvaluationsTable table(work);
    const LostWindows lost = table.FindLostWindows(key);
    const bool all_lost = !lost.reasons.empty() && !lost.some_measured;
    std::string error = Describe(lost);
    if (!status.ok()) error = std::string(status.message()) + (error.empty() ? "" : "; ") + error;
    table.Finish(key, status.ok() && !all_lost ? JobState::kDone : JobState::kFailed, error);
    return absl::OkStatus();
  });
}

absl::Status Evaluator::ShowStored(const JobKey& key, const SendProgress& send) {
  std::optional<JobRow> row;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    row = EvaluationsTable(work).FindJob(key);
    return absl::OkStatus();
  }));
  if (!row) {
    return NotFound("evaluation {} of run {} was never started", key.evaluation, key.run.value);
  }
  const v1::WatchEvaluationResponse progress = ToResponse(key, *row);
  if (!HasEnded(progress)) {
    return Unavailable("the evaluation is not running; start it again");
  }
  send(progress);
  return absl::OkStatus();
}

absl::Status Evaluator::Watch(const JobKey& key, const SendProgress& send,
                              const std::function<bool()>& alive) {
  bool is_wanted = true;
  const auto show = [&](const v1::WatchEvaluationResponse& progress) {
    return is_wanted = send(progress);
  };
  while (const Jobs::SharedJob job = jobs_.Find(key)) {
    if (const std::optional<absl::Status> ended = jobs_.EndOf(*job)) {
      if (absl::IsUnavailable(*ended)) return *ended;
      break;
    }
    RETURN_IF_ERROR(jobs_.Watch(*job, show, alive));
    if (!is_wanted) return absl::OkStatus();
  }
  return ShowStored(key, send);
}

absl::StatusOr<std::vector<v1::Evaluation>> Evaluator::List(RunId run) {
  std::vector<v1::Evaluation> evaluations;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    evaluations = EvaluationsTable(work).List(run);
    return absl::OkStatus();
  }));
  return evaluations;
}

absl::StatusOr<int64_t> Evaluator::DeleteRun(const rpc::v1::Command& command) {
  const RunId run{command.run_id()};
  int64_t num_deleted = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, "evaluator", command));
    num_deleted = EvaluationsTable(work).DeleteRun(run);
    return absl::OkStatus();
  }));
  const JobKey first{.run = run};
  // No run has the greatest number of evaluations.
  const JobKey end{.run = run, .evaluation = std::numeric_limits<int32_t>::max()};
  for (const Jobs::SharedJob& job : jobs_.List(first, end)) Jobs::RequestStop(*job);
  jobs_.ForgetEnded(first, end);
  return num_deleted;
}

void Evaluator::Stop() { jobs_.Shutdown(); }

}  // namespace tidemill::evaluator

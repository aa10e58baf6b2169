#include "evaluator/evaluator.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/disk_full.h"
#include "base/log.h"
#include "config/config.h"
#include "db/fencing.h"
#include "db/migrations.h"
#include "evaluator/client/evaluation_spec.h"
#include "evaluator/migrations.h"

namespace tidemill::evaluator {
namespace {

constexpr std::chrono::milliseconds kAliveInterval{250};
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

// What was lost, as one text for a person; empty when nothing was.
std::string Describe(const Losses& losses) {
  std::string text;
  const size_t num_shown = std::min(losses.reasons.size(), kMaxReasons);
  for (size_t i = 0; i < num_shown; ++i) {
    if (i > 0) text += "; ";
    text += losses.reasons[i];
  }
  if (losses.reasons.size() > num_shown) {
    text += fmt::format("; and {} more", losses.reasons.size() - num_shown);
  }
  return text;
}

v1::WatchEvaluationResponse ToResponse(const JobRow& row) {
  v1::WatchEvaluationResponse response;
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
  return response;
}

bool HasEnded(const v1::WatchEvaluationResponse& progress) {
  return progress.state() == v1::EVALUATION_STATE_DONE ||
         progress.state() == v1::EVALUATION_STATE_FAILED;
}

}  // namespace

Evaluator::Evaluator(db::Database& database, int num_jobs, JobRunner run_job)
    : database_(database), run_job_(std::move(run_job)), pool_("evaluations", num_jobs) {}

Evaluator::~Evaluator() { Stop(); }

absl::StatusOr<std::unique_ptr<Evaluator>> Evaluator::Open(db::Database& database, int num_jobs,
                                                           JobRunner run_job) {
  RETURN_IF_ERROR(db::Migrate(database, "evaluator", kMigrations));
  return std::unique_ptr<Evaluator>(new Evaluator(database, num_jobs, std::move(run_job)));
}

absl::Status Evaluator::Resume() {
  std::vector<std::pair<JobKey, JobRow>> unfinished;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    unfinished.clear();
    EvaluationsTable table(work);
    for (const JobKey& key : table.UnfinishedJobs()) {
      if (const auto row = table.FindJob(key)) unfinished.emplace_back(key, *row);
    }
    return absl::OkStatus();
  }));
  for (const auto& [key, row] : unfinished) Enqueue(key, row, /*reopened=*/false);
  return absl::OkStatus();
}

absl::Status Evaluator::Start(const v1::StartEvaluationRequest& request) {
  RETURN_IF_ERROR(Check(request));
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
  if (row->state == JobState::kUnfinished) Enqueue(key, *row, reopened);
  return absl::OkStatus();
}

void Evaluator::Enqueue(const JobKey& key, const JobRow& row, bool reopened) {
  auto live = std::make_shared<LiveJob>();
  live->progress = ToResponse(row);
  {
    MutexLock lock(mutex_);
    if (stopping_) return;
    const auto [it, is_new] = live_.emplace(key, live);
    if (!is_new) {
      it->second->reopened |= reopened;
      return;
    }
    given_up_.erase(key);
  }
  pool_.Submit([this, key, live] { RunToEnd(key, *live); });
}

void Evaluator::Change(LiveJob& live, const ProgressChange& change) {
  MutexLock lock(mutex_);
  change(live.progress);
  ++live.version;
  changed_.notify_all();
}

void Evaluator::RunToEnd(const JobKey& key, LiveJob& live) {
  bool again = true;
  while (again) {
    const absl::Status status = RunAttempts(key, live);
    if (!live.stop.stop_requested()) {
      // Nothing is wrong with an evaluation that finds no room, no service or no database.
      const absl::Status ended = absl::IsUnavailable(status) ? status : Finish(key, status);
      if (!ended.ok()) GiveUp(key, ended);
    }
    MutexLock lock(mutex_);
    again = std::exchange(live.reopened, false);
    if (again) continue;
    // The end stands in the database: those who watch find it there.
    const auto it = live_.find(key);
    if (it != live_.end() && it->second.get() == &live) live_.erase(it);
    changed_.notify_all();
  }
}

absl::Status Evaluator::RunAttempts(const JobKey& key, LiveJob& live) {
  Change(live, [](auto& progress) { progress.set_state(v1::EVALUATION_STATE_RUNNING); });
  const auto count = [&](const JobExecution::Progress& made) {
    Change(live, [&](auto& progress) {
      progress.set_windows_done(progress.windows_done() + made.new_windows);
      progress.set_samples_done(progress.samples_done() + made.new_samples);
    });
  };
  const std::stop_token stop = live.stop.get_token();
  absl::Status status = Cancelled("the evaluation was stopped");
  for (int attempt = 1; attempt <= kMaxAttempts && !stop.stop_requested(); ++attempt) {
    if (attempt > 1) PauseBeforeAttempt(attempt, stop);
    JobExecution execution(database_, key, count);
    status = execution.Run(run_job_, stop);
    const bool may_pass = absl::IsUnavailable(status) || absl::IsAborted(status);
    if (!may_pass || IsDiskFull(status)) return status;
    log::Warn("an evaluation was interrupted",
              {{"run", std::to_string(key.run.value)}, {"error", status.ToString()}});
    if (execution.windows_written() > 0) attempt = 1;
  }
  return status;
}

void Evaluator::PauseBeforeAttempt(int attempt, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  changed_.wait_for(mutex_, stop, kPauseBetweenAttempts * (attempt - 1), [] { return false; });
}

void Evaluator::GiveUp(const JobKey& key, const absl::Status& why) {
  log::Error("an evaluation is left unfinished",
             {{"run", std::to_string(key.run.value)}, {"error", why.ToString()}});
  MutexLock lock(mutex_);
  given_up_[key] = absl::IsUnavailable(why) ? why : absl::UnavailableError(why.message());
}

absl::Status Evaluator::Finish(const JobKey& key, const absl::Status& status) {
  return database_.Transact([&](pqxx::work& work) {
    EvaluationsTable table(work);
    const Losses losses = table.FindLosses(key);
    const bool all_lost = !losses.reasons.empty() && !losses.some_measured;
    std::string error = Describe(losses);
    if (!status.ok()) error = std::string(status.message()) + (error.empty() ? "" : "; ") + error;
    table.Finish(key, status.ok() && !all_lost ? JobState::kDone : JobState::kFailed, error);
    return absl::OkStatus();
  });
}

absl::StatusOr<v1::WatchEvaluationResponse> Evaluator::StoredProgress(const JobKey& key) {
  std::optional<JobRow> row;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    row = EvaluationsTable(work).FindJob(key);
    return absl::OkStatus();
  }));
  if (!row) {
    return NotFound("evaluation {} of run {} was never started", key.evaluation, key.run.value);
  }
  return ToResponse(*row);
}

absl::StatusOr<std::optional<v1::WatchEvaluationResponse>> Evaluator::NextProgress(
    const JobKey& key, int64_t& seen_version) {
  {
    MutexLock lock(mutex_);
    if (stopping_) return Unavailable("the evaluator is stopping");
    const auto it = live_.find(key);
    if (it != live_.end()) {
      const std::shared_ptr<LiveJob> live = it->second;
      if (live->version == seen_version) changed_.wait_for(mutex_, kAliveInterval);
      if (live->version == seen_version) return std::nullopt;
      seen_version = live->version;
      return live->progress;
    }
  }
  ASSIGN_OR_RETURN(v1::WatchEvaluationResponse progress, StoredProgress(key));
  if (HasEnded(progress)) return progress;
  // Start() queues before it answers, so the evaluation was given up.
  MutexLock lock(mutex_);
  const auto why = given_up_.find(key);
  if (why != given_up_.end()) return why->second;
  return Unavailable("the evaluation is not running; start it again");
}

absl::Status Evaluator::Watch(const JobKey& job,
                              const std::function<bool(const v1::WatchEvaluationResponse&)>& send,
                              const std::function<bool()>& alive) {
  int64_t seen_version = -1;
  while (alive()) {
    ASSIGN_OR_RETURN(const auto progress, NextProgress(job, seen_version));
    if (!progress) continue;
    if (!send(*progress) || HasEnded(*progress)) break;
  }
  return absl::OkStatus();
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
  std::vector<std::shared_ptr<LiveJob>> stopped;
  {
    MutexLock lock(mutex_);
    for (const auto& [key, live] : live_) {
      if (key.run == run) stopped.push_back(live);
    }
  }
  for (const auto& live : stopped) live->stop.request_stop();
  return num_deleted;
}

void Evaluator::Stop() {
  std::vector<std::shared_ptr<LiveJob>> stopped;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    for (const auto& [key, live] : live_) stopped.push_back(live);
    changed_.notify_all();
  }
  for (const auto& live : stopped) live->stop.request_stop();
}

}  // namespace tidemill::evaluator

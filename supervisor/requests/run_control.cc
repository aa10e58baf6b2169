#include "supervisor/requests/run_control.h"

#include <memory>
#include <string>

#include "base/logs/log.h"
#include "db/fencing.h"

namespace tidemill::supervisor {
namespace {

// In a transaction: appends an event in a new epoch of the run; returns the epoch.
absl::StatusOr<int64_t> Interrupt(pqxx::work& work, RunId run, const v1::RunEvent& event) {
  ASSIGN_OR_RETURN(const int64_t epoch, TakeOver(work, run));
  ASSIGN_OR_RETURN(FoldedRun folded, FoldRun(work, run));
  folded.state.Apply(event);
  const auto& events = folded.events;
  const EventPlace next{.run = run,
                        .run_epoch = epoch,
                        .sequence = events.empty() ? 1 : events.back().shown.sequence() + 1};
  RETURN_IF_ERROR(AppendEvent(work, next, event, folded.state).status());
  return epoch;
}

// Whether a training may be asked of a run that is RUNNING.
absl::Status CheckTakesRequests(RunId run, const RunState& state) {
  if (!state.live()) {
    return FailedPrecondition(
        "run {} is a replay, and its triggers follow from its data; name times in `trigger: "
        "{{type: manual, at: [...]}}`",
        run.value);
  }
  if (state.stop_requested()) return FailedPrecondition("run {} is being stopped", run.value);
  if (state.max_triggers() > 0 &&
      static_cast<int64_t>(state.triggers().size()) >= state.max_triggers()) {
    return FailedPrecondition("run {} has reached its limit of triggers", run.value);
  }
  return absl::OkStatus();
}

// In a transaction: the answer to a request for a training, and the event that it is.
absl::StatusOr<v1::TriggerRunResponse> RequestTrigger(pqxx::work& work, RunId run) {
  const auto row = LockRun(work, run);
  if (!row) return NotFound("run {} is unknown", run.value);
  if (row->summary.state() != v1::RUN_STATE_RUNNING) {
    return FailedPrecondition("run {} is not running", run.value);
  }
  ASSIGN_OR_RETURN(const FoldedRun folded, FoldRun(work, run));
  RETURN_IF_ERROR(CheckTakesRequests(run, folded.state));
  v1::RunEvent event;
  event.mutable_trigger_requested();
  RETURN_IF_ERROR(Interrupt(work, run, event).status());
  v1::TriggerRunResponse response;
  *response.mutable_run() = row->summary;
  response.set_trigger(static_cast<int64_t>(folded.state.triggers().size()) + 1);
  return response;
}

}  // namespace

absl::StatusOr<v1::Run> RunControl::Stop(RunId run) {
  ASSIGN_OR_RETURN(RunRow row, runs_.Find(run));
  if (row.summary.state() != v1::RUN_STATE_RUNNING) return row.summary;
  const std::shared_ptr<RunFeed> feed = conducted_.End(run);
  const absl::StatusOr<FoldedRun> before = runs_.Fold(run);
  // A live run continues until it has measured its models.
  const bool ends_later = before.ok() && before->state.live() && !before->state.stop_requested();
  const absl::StatusOr<std::optional<int64_t>> epoch = RecordStop(run, ends_later);
  if (!epoch.ok()) {
    if (feed) feed->Close(row.summary);  // Its watchers see that the run is RUNNING still.
    conducted_.Conduct(run);
    return epoch.status();
  }
  const bool stopped = epoch->has_value();
  ASSIGN_OR_RETURN(row, runs_.Find(run));
  ASSIGN_OR_RETURN(const FoldedRun after, runs_.Fold(run));
  if (feed) {
    if (stopped && !after.events.empty()) feed->Append(after.events.back().shown);
    if (!stopped || !ends_later) feed->Close(row.summary);
  }
  if (stopped) StopTraining(run, **epoch, after.state);
  if (stopped && ends_later) conducted_.Conduct(run, feed);
  return row.summary;
}

absl::StatusOr<std::optional<int64_t>> RunControl::RecordStop(RunId run, bool ends_later) {
  v1::RunEvent event;
  if (ends_later) {
    event.mutable_stop_requested();
  } else {
    event.mutable_run_stopped();
  }
  std::optional<int64_t> epoch;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    epoch.reset();
    const auto now = LockRun(work, run);
    if (!now || now->summary.state() != v1::RUN_STATE_RUNNING) return absl::OkStatus();
    ASSIGN_OR_RETURN(epoch, Interrupt(work, run, event));
    return absl::OkStatus();
  }));
  return epoch;
}

void RunControl::StopTraining(RunId run, int64_t epoch, const RunState& state) {
  const TriggerState* open = state.Unfinished();
  const auto at =
      open == nullptr
          ? std::nullopt
          : pool_.PlaceOf(
                {.run = run.value, .stage = kTrainStage, .number = open->trigger.number()});
  if (at && open->sealed && !open->trained) StopTrainingAt(*at, run, epoch, *open);
  const absl::Status released = pool_.ReleaseRun(run, "the run was stopped");
  if (!released.ok()) log::Warn("slots stay", {{"error", released.ToString()}});
}

void RunControl::StopTrainingAt(const std::string& endpoint, RunId run, int64_t epoch,
                                const TriggerState& open) {
  rpc::v1::Command command;
  command.set_request_id(fmt::format("run/{}/stop", run.value));
  command.set_run_id(run.value);
  command.set_run_epoch(epoch);
  const absl::Status status =
      downstream_.StopTraining(JobPlace{.endpoint = endpoint}, command, open.trigger.number());
  if (!status.ok()) log::Warn("cannot stop the training", {{"error", status.ToString()}});
}

absl::StatusOr<v1::Run> RunControl::Resume(RunId run) {
  bool resumed = false;
  v1::RunEvent event;
  event.mutable_run_resumed();
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    const auto now = LockRun(work, run);
    if (!now) return NotFound("run {} is unknown", run.value);
    if (now->summary.state() == v1::RUN_STATE_SUCCEEDED) {
      return FailedPrecondition("run {} has succeeded", run.value);
    }
    resumed = now->summary.state() != v1::RUN_STATE_RUNNING;
    if (!resumed) return absl::OkStatus();
    return Interrupt(work, run, event).status();
  }));
  if (resumed) {
    conducted_.End(run);
    conducted_.Conduct(run);
  }
  ASSIGN_OR_RETURN(RunRow row, runs_.Find(run));
  return row.summary;
}

absl::StatusOr<v1::TriggerRunResponse> RunControl::Trigger(const v1::TriggerRunRequest& request) {
  const RunId run{request.run_id()};
  v1::TriggerRunResponse response;
  bool asked = false;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    const std::string& id = request.command().request_id();
    ASSIGN_OR_RETURN(const auto answered, db::FindAnswer(work, kSchema, id));
    asked = !answered;
    if (answered) {
      response.ParseFromString(*answered);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(response, RequestTrigger(work, run));
    return db::RememberAnswer(work, kSchema, id, response.SerializeAsString());
  }));
  // The request ended the conductor's epoch. A new conductor continues with it, and its watchers
  // come along.
  if (asked) conducted_.Conduct(run, conducted_.End(run));
  return response;
}

}  // namespace tidemill::supervisor

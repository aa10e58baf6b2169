// What somebody asks of a run's decisions: one more, and why one was taken.
#include <utility>

#include "db/fencing.h"
#include "supervisor/decisions/decision_record.h"
#include "supervisor/decisions/decisions_table.h"
#include "supervisor/supervisor.h"

namespace tidemill::supervisor {
namespace {

constexpr char kSchema[] = "supervisor";

std::optional<v1::Decision> Find(pqxx::work& work, const v1::GetDecisionRequest& request) {
  const RunId run{request.run_id()};
  switch (request.which_case()) {
    case v1::GetDecisionRequest::kTrigger:
      return FindDecisionOfTrigger(work, run, request.trigger());
    case v1::GetDecisionRequest::kNumber:
      return FindDecision(work, run, request.number());
    case v1::GetDecisionRequest::kEventTime:
      return FindDecisionAt(work, run, Timestamp{request.event_time()});
    case v1::GetDecisionRequest::WHICH_NOT_SET:
      break;
  }
  return FindDecisionAt(work, run, std::nullopt);
}

// Whether the request names no decision: the last one is meant.
bool AsksForTheLast(const v1::GetDecisionRequest& request) {
  return request.which_case() == v1::GetDecisionRequest::WHICH_NOT_SET;
}

// What came of the decision: how the stream ended behind the last one, and a training that failed.
void AddOutcome(const RunState& state, const v1::GetDecisionRequest& request,
                v1::GetDecisionResponse& response) {
  if (state.stream_ended() && AsksForTheLast(request)) {
    *response.mutable_stream_ended() = state.end_of_stream();
  }
  const auto fired = static_cast<size_t>(response.decision().trigger());
  if (fired == 0 || fired > state.triggers().size()) return;
  response.set_skip_reason(state.triggers()[fired - 1].trigger.skip_reason());
}

absl::Status NoDecision(const v1::GetDecisionRequest& request, const v1::Run& run) {
  switch (request.which_case()) {
    case v1::GetDecisionRequest::kTrigger:
      return NotFound("run {} has fired {} triggers; there is no trigger {}", run.run_id(),
                      run.num_triggers(), request.trigger());
    case v1::GetDecisionRequest::kEventTime:
      return NotFound("run {} had made no decision by {}", run.run_id(),
                      FormatTimestamp({request.event_time()}));
    case v1::GetDecisionRequest::WHICH_NOT_SET:
      return NotFound("run {} has made no decision yet", run.run_id());
    default:
      return NotFound("run {} has made no such decision", run.run_id());
  }
}

absl::StatusOr<RunState> FoldEvents(pqxx::work& work, RunId run) {
  ASSIGN_OR_RETURN(const std::vector<EventRow> events, ReadEvents(work, run));
  RunState state;
  for (const EventRow& event : events) state.Apply(event.event);
  return state;
}

}  // namespace

absl::StatusOr<v1::GetDecisionResponse> Supervisor::GetDecision(
    const v1::GetDecisionRequest& request) {
  v1::GetDecisionResponse response;
  std::string pipeline;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    response.Clear();
    auto run = FindRun(work, {request.run_id()});
    if (!run) return NotFound("run {} is unknown", request.run_id());
    *response.mutable_run() = run->summary;
    pipeline = std::move(run->spec);
    ASSIGN_OR_RETURN(const RunState state, FoldEvents(work, run->run_id));
    auto found = supervisor::Find(work, request);
    if (!found && AsksForTheLast(request) && state.stream_ended()) {
      AddOutcome(state, request, response);
      return absl::OkStatus();
    }
    if (!found) return NoDecision(request, run->summary);
    if (auto before = FindTriggerBefore(work, run->run_id, found->number())) {
      *response.mutable_trigger_before() = *std::move(before);
    }
    if (auto next = FindDecision(work, run->run_id, found->number() + 1)) {
      *response.mutable_next() = *std::move(next);
    }
    *response.mutable_decision() = *std::move(found);
    AddOutcome(state, request, response);
    return absl::OkStatus();
  }));
  ASSIGN_OR_RETURN(const auto spec, config::Read<PipelineSpec>(pipeline, "pipeline"));
  if (response.has_decision()) AddTexts(spec.trigger, *response.mutable_decision());
  response.set_policy(config::Print(spec.trigger));
  return response;
}

absl::StatusOr<v1::TriggerRunResponse> Supervisor::RequestTrigger(pqxx::work& work, RunId run) {
  const auto row = LockRun(work, run);
  if (!row) return NotFound("run {} is unknown", run.value);
  if (row->summary.state() != v1::RUN_STATE_RUNNING) {
    return FailedPrecondition("run {} is not running", run.value);
  }
  ASSIGN_OR_RETURN(const RunState state, FoldEvents(work, run));
  if (!state.live()) {
    return FailedPrecondition(
        "run {} is a replay, whose triggers follow from its data; name times in "
        "`trigger: {{type: manual, at: [...]}}`",
        run.value);
  }
  if (state.stop_requested()) return FailedPrecondition("run {} is being stopped", run.value);
  if (state.max_triggers() > 0 &&
      static_cast<int64_t>(state.triggers().size()) >= state.max_triggers()) {
    return FailedPrecondition("run {} has fired all the triggers that it may", run.value);
  }
  v1::RunEvent event;
  event.mutable_trigger_requested();
  RETURN_IF_ERROR(Interrupt(work, run, event).status());
  v1::TriggerRunResponse response;
  *response.mutable_run() = row->summary;
  response.set_trigger(static_cast<int64_t>(state.triggers().size()) + 1);
  return response;
}

absl::StatusOr<v1::TriggerRunResponse> Supervisor::TriggerRun(
    const v1::TriggerRunRequest& request) {
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
  // The conductor's epoch has ended; another one goes on with what was asked, before its watchers.
  if (asked) Conduct(run, EndConductor(run));
  return response;
}

}  // namespace tidemill::supervisor

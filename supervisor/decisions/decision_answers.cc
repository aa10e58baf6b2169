#include "supervisor/decisions/decision_answers.h"

#include <optional>
#include <string>
#include <utility>

#include "config/config.h"
#include "supervisor/decisions/decision_record.h"
#include "supervisor/decisions/decisions_table.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/folded_run.h"
#include "supervisor/runs/runs_table.h"

namespace tidemill::supervisor {
namespace {

std::optional<v1::Decision> FindAsked(pqxx::work& work, const v1::GetDecisionRequest& request) {
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

// The consequence of the decision: how the stream ended after the last one, and a training that
// failed.
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

// In a transaction: fills the answer, except for its texts.
absl::Status Answer(pqxx::work& work, const RunRow& run, const v1::GetDecisionRequest& request,
                    v1::GetDecisionResponse& response) {
  *response.mutable_run() = run.summary;
  ASSIGN_OR_RETURN(const FoldedRun folded, FoldRun(work, run.run_id));
  response.mutable_plugins()->Add(folded.state.plugins().begin(), folded.state.plugins().end());
  auto found = FindAsked(work, request);
  if (!found && AsksForTheLast(request) && folded.state.stream_ended()) {
    AddOutcome(folded.state, request, response);
    return absl::OkStatus();
  }
  if (!found) return NoDecision(request, run.summary);
  if (auto before = FindTriggerBefore(work, run.run_id, found->number())) {
    *response.mutable_trigger_before() = *std::move(before);
  }
  if (auto next = FindDecision(work, run.run_id, found->number() + 1)) {
    *response.mutable_next() = *std::move(next);
  }
  *response.mutable_decision() = *std::move(found);
  AddOutcome(folded.state, request, response);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::GetDecisionResponse> DecisionAnswers::Get(
    const v1::GetDecisionRequest& request) const {
  v1::GetDecisionResponse response;
  std::string pipeline;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    response.Clear();
    auto run = FindRun(work, {request.run_id()});
    if (!run) return NotFound("run {} is unknown", request.run_id());
    pipeline = run->spec;
    return Answer(work, *run, request, response);
  }));
  ASSIGN_OR_RETURN(const auto spec, config::ReadKept<PipelineSpec>(pipeline, "pipeline"));
  if (response.has_decision()) AddTexts(spec.trigger, *response.mutable_decision());
  response.set_policy(config::Print(spec.trigger));
  return response;
}

}  // namespace tidemill::supervisor

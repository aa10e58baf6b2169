#include "supervisor/requests/run_answers.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "supervisor/decisions/decisions_table.h"
#include "supervisor/measuring/evaluation_values.h"
#include "supervisor/measuring/live_windows.h"
#include "supervisor/measuring/windows.h"
#include "supervisor/model_use/model_use.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/ledger.h"
#include "supervisor/runs/run_history.h"
#include "supervisor/usage/run_usage.h"

namespace tidemill::supervisor {
namespace {

// A run with more shows only those that fired.
constexpr int64_t kMaxDecisions = 10'000;
constexpr int64_t kMaxModelChanges = 1'000;

void MarkAllSeries(const PipelineSpec& spec, const RunState& state,
                   std::vector<evaluator::v1::Evaluation>& values) {
  for (size_t i = 0; i < spec.evaluation.size(); ++i) {
    const auto dataset = state.datasets().find(spec.evaluation[i].dataset);
    if (dataset == state.datasets().end()) continue;
    std::vector<evaluator::v1::Evaluation*> own;
    for (auto& value : values) {
      if (value.evaluation() == static_cast<int32_t>(i)) own.push_back(&value);
    }
    const auto measured = MeasuredPart(state, spec, dataset->first);
    if (measured.ok()) MarkSeries(spec.evaluation[i], *measured, StoredTriggers(state), own);
  }
}

void AddState(const PipelineSpec& spec, const RunState& state, v1::GetRunResponse& response) {
  for (const TriggerState& trigger : state.triggers()) {
    v1::Trigger& added = *response.add_triggers();
    added = trigger.trigger;
    if (const auto ledger = LedgerOf(trigger, spec)) *added.mutable_ledger() = *ledger;
  }
  response.mutable_plugins()->Add(state.plugins().begin(), state.plugins().end());
  response.mutable_set_values()->Add(state.set_values().begin(), state.set_values().end());
  if (const auto ledger = LedgerOf(state, spec)) *response.mutable_ledger() = *ledger;
  for (const auto& [name, dataset] : state.datasets()) {
    if (dataset.has_left_out()) (*response.mutable_left_out())[name] = dataset.left_out();
  }
  if (state.samples_ahead().num_samples() > 0) {
    *response.mutable_samples_ahead() = state.samples_ahead();
  }
  if (state.stream_ended()) *response.mutable_stream_ended() = state.end_of_stream();
}

}  // namespace

absl::StatusOr<v1::GetRunResponse> RunAnswers::Get(const v1::GetRunRequest& request) const {
  const RunId run{request.run_id()};
  ASSIGN_OR_RETURN(const RunRow row, runs_.Find(run));
  ASSIGN_OR_RETURN(const FoldedRun folded, runs_.Fold(run));
  ASSIGN_OR_RETURN(const auto spec, config::ReadKept<PipelineSpec>(row.spec, "pipeline"));
  v1::GetRunResponse response;
  *response.mutable_run() = row.summary;
  *response.mutable_run()->mutable_costs() = CostsOf(folded.events);
  AddState(spec, folded.state, response);
  AddHistory(folded.events, response);
  if (request.with_events()) AddEvents(folded.events, response);
  RETURN_IF_ERROR(AddAllDecisions(run, response));
  RETURN_IF_ERROR(AddModelChanges(row, response));
  response.set_pipeline_text(row.pipeline_text);
  response.set_pipeline_resolved(row.spec);
  if (folded.state.stream_ended() || folded.state.live()) {
    RETURN_IF_ERROR(AddValues(run, spec, folded.state, response));
    ASSIGN_OR_RETURN(
        *response.mutable_outcomes(),
        downstream_.SummariseOutcomes(run, static_cast<int32_t>(spec.evaluation.size())));
  }
  return response;
}

absl::StatusOr<v1::GetRunResponse> RunAnswers::GetValues(RunId run) const {
  ASSIGN_OR_RETURN(const RunRow row, runs_.Find(run));
  ASSIGN_OR_RETURN(const FoldedRun folded, runs_.Fold(run));
  v1::GetRunResponse response;
  if (!folded.state.stream_ended() && !folded.state.live()) return response;
  ASSIGN_OR_RETURN(const auto spec, config::ReadKept<PipelineSpec>(row.spec, "pipeline"));
  RETURN_IF_ERROR(AddValues(run, spec, folded.state, response));
  return response;
}

v1::RunCosts RunAnswers::CostsOf(const std::vector<EventRow>& events) const {
  RunUsage usage;
  for (const EventRow& row : events) usage.Apply(row.event);
  v1::RunCosts costs = usage.Costs();
  const std::optional<rpc::v1::Prices>& prices = prices_ ? prices_ : usage.prices();
  if (prices) *costs.mutable_prices() = *prices;
  return costs;
}

absl::Status RunAnswers::AddAllDecisions(RunId run, v1::GetRunResponse& response) const {
  return database_.Transact([&](pqxx::work& work) {
    response.clear_decisions();
    for (v1::Decision& decision : ListDecisions(work, run, kMaxDecisions)) {
      *response.add_decisions() = std::move(decision);
    }
    return absl::OkStatus();
  });
}

absl::Status RunAnswers::AddModelChanges(const RunRow& row, v1::GetRunResponse& response) const {
  return database_.Transact([&](pqxx::work& work) {
    response.clear_model_changes();
    for (v1::ModelChange& change :
         ListModelChanges(work, row.pipeline_id, row.run_id, kMaxModelChanges)) {
      *response.add_model_changes() = std::move(change);
    }
    auto in_use = FindModelInUse(work, row.pipeline_id);
    if (in_use) *response.mutable_model_in_use() = *std::move(in_use);
    return absl::OkStatus();
  });
}

absl::Status RunAnswers::AddValues(RunId run, const PipelineSpec& spec, const RunState& state,
                                   v1::GetRunResponse& response) const {
  ASSIGN_OR_RETURN(auto values, downstream_.ListEvaluations(run));
  if (state.live()) {
    values = NewestOfEach(std::move(values), static_cast<int>(spec.evaluation.size()));
    for (v1::Trigger& trigger : *response.mutable_triggers()) {
      trigger.set_late(std::string(NameOf(spec.live->late)));
    }
  }
  MarkAllSeries(spec, state, values);
  AddResults(std::move(values), response);
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor

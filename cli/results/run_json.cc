#include "cli/results/run_json.h"

#include <map>
#include <string>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/results/baselines.h"
#include "cli/results/ledger.h"
#include "cli/results/left_out.h"
#include "cli/results/remarks/graph_warnings.h"
#include "cli/results/remarks/prepared_samples.h"
#include "cli/results/remarks/untrained.h"
#include "cli/results/run_costs.h"
#include "cli/results/selections/selection_json.h"
#include "cli/results/set_values.h"
#include "cli/results/training_limit.h"
#include "cli/results/worth.h"
#include "results/columns.h"
#include "results/rows.h"
#include "supervisor_client/model_change_json.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

ordered_json RowsToJson(const results::Rows& rows) {
  ordered_json json = ordered_json::array();
  for (const results::Row* row : rows) json.push_back(results::RowToJson(*row));
  return json;
}

// With `training: {reuse: true}`.
void AddReuse(const supervisor::v1::Trigger& trigger, ordered_json& json) {
  if (trigger.training_digest().empty() && trigger.why_not_reusable().empty()) return;
  json["reused"] = trigger.has_reused_from();
  if (trigger.has_reused_from()) {
    json["reused_from"] = {{"run", trigger.reused_from().run_id()},
                           {"trigger", trigger.reused_from().trigger()},
                           {"model", trigger.reused_from().model_id()}};
  }
  if (!trigger.training_digest().empty()) json["training_digest"] = trigger.training_digest();
  if (!trigger.why_not_reusable().empty()) json["why_not_reusable"] = trigger.why_not_reusable();
}

ordered_json TriggerToJson(const supervisor::v1::Trigger& trigger) {
  double seconds = 0;
  ordered_json stages = ordered_json::object();
  // A protobuf map has another order each time, which would show in the last digit of the sum.
  const std::map<std::string, double> sorted(trigger.stage_seconds().begin(),
                                             trigger.stage_seconds().end());
  for (const auto& [stage, spent] : sorted) {
    seconds += spent;
    stages[stage] = spent;
  }
  ordered_json json = {{"number", trigger.number()},
                       {"at", TimeOf(trigger.at())},
                       {"new", trigger.num_new()},
                       {"at_key", trigger.at().sample_key()},
                       {"samples", trigger.num_samples()},
                       {"seconds", seconds},
                       {"stages", stages},
                       {"model", trigger.model_id()},
                       {"device", trigger.result().device()},
                       {"training_set_digest", trigger.training_set_digest()},
                       {"weights_digest", trigger.weights_digest()},
                       {"bad", trigger.ledger().num_bad()},
                       {"unlabelled", trigger.num_unlabelled()},
                       {"late", trigger.num_late()},
                       {"late_policy", trigger.late()},
                       {"removed", trigger.removed()}};
  AddReuse(trigger, json);
  if (trigger.has_ledger()) json["ledger"] = LedgerToJson(trigger.ledger());
  if (!trigger.skip_reason().empty()) json["skip_reason"] = trigger.skip_reason();
  AddLimit(trigger.result(), json);
  AddGraphWarnings(trigger.result(), json);
  if (trigger.result().has_downsampling())
    json["downsampling"] = DownsamplingToJson(trigger.result().downsampling());
  return json;
}

// The model in use of the pipeline, and the changes that the run has caused.
void AddModelUse(const supervisor::v1::GetRunResponse& run, ordered_json& json) {
  json["model_in_use"] = run.has_model_in_use() ? supervisor::ModelInUseToJson(run.model_in_use())
                                                : ordered_json(nullptr);
  json["model_changes"] = ordered_json::array();
  for (const supervisor::v1::ModelChange& change : run.model_changes()) {
    json["model_changes"].push_back(supervisor::ModelChangeToJson(change));
  }
}

}  // namespace

std::string StateName(supervisor::v1::RunState state) {
  switch (state) {
    case supervisor::v1::RUN_STATE_RUNNING:
      return "running";
    case supervisor::v1::RUN_STATE_SUCCEEDED:
      return "succeeded";
    case supervisor::v1::RUN_STATE_FAILED:
      return "failed";
    case supervisor::v1::RUN_STATE_STOPPED:
      return "stopped";
    default:
      return "unknown";
  }
}

ordered_json RunToJson(const supervisor::v1::Run& run) {
  ordered_json json = {{"run", run.run_id()},
                       {"pipeline", run.pipeline_name()},
                       {"state", StateName(run.state())},
                       {"started_at", TimeOf(run.started_at())}};
  if (run.has_finished_at()) json["finished_at"] = TimeOf(run.finished_at());
  if (!run.error().empty()) json["error"] = run.error();
  json["num_triggers"] = run.num_triggers();
  json["num_samples"] = run.num_samples();
  json["tags"] = run.tags();
  json["note"] = run.note();
  json["trial"] = run.is_trial();
  if (run.has_in_sweep()) {
    json["in_sweep"] = {{"sweep", run.in_sweep().sweep()},
                        {"setting", run.in_sweep().setting()},
                        {"rung", run.in_sweep().rung()}};
  }
  return json;
}

ordered_json RunToJson(const supervisor::v1::GetRunResponse& run) {
  ordered_json json = RunToJson(run.run());
  if (run.set_values_size() > 0) json["set"] = SetValuesToJson(run);
  json["triggers"] = ordered_json::array();
  json["models"] = ordered_json::array();
  for (const auto& trigger : run.triggers()) {
    json["triggers"].push_back(TriggerToJson(trigger));
    if (trigger.model_id() != 0) json["models"].push_back(trigger.model_id());
  }
  json["evaluations"] = RowsToJson(results::Select(run.results(), results::IsOfModel));
  json["costs"] = CostsToJson(run.run().costs());
  json["beyond_limits"] = {{"slice_values", run.num_slice_values_left_out()},
                           {"details", run.num_details_left_out()}};
  json["left_out"] = LeftOutToJson(run);
  if (run.has_ledger()) json["ledger"] = LedgerToJson(run.ledger());
  AddUntrained(run, json);
  AddReplaced(run, json);
  json["evaluations_prepared"] = PreparedSamplesToJson(run);
  AddAhead(run, json);
  json["baselines"] = BaselinesToJson(run);
  AddModelUse(run, json);
  json["differences"] = DifferencesToJson(run.outcomes().differences());
  json["importances"] = ImportancesToJson(run);
  json["figures"] = FiguresToJson(run);
  json["drifted_columns"] = DriftedColumnsToJson(run);
  json["composite"] = {{"active", RowsToJson(results::Active(run.results()))},
                       {"trained", RowsToJson(results::Trained(run.results()))},
                       {"baselines", RowsToJson(results::Baselines(run.results()))}};
  return json;
}

}  // namespace tidemill::cli

#include "supervisor/backtest/stored_models.h"

#include <algorithm>

#include "fmt/format.h"

#include "supervisor/measuring/live_windows.h"
#include "supervisor/runs/cuts.h"

namespace tidemill::supervisor {
namespace {

absl::Status CheckUsable(int64_t run, const PipelineSpec& spec, const RunState& state) {
  if (state.state() == v1::RUN_STATE_RUNNING) {
    return FailedPrecondition(
        "run {} has not ended, so its models cannot be used yet; wait for its end, or name another "
        "run",
        run);
  }
  if (spec.training.warm_start) {
    return FailedPrecondition(
        "run {} starts each training from the previous model, so its models depend on its own "
        "triggers, and another policy would have had other models; name a run with `training: "
        "{{warm_start: false}}`",
        run);
  }
  if (state.retired().first_model() > 1) {
    return FailedPrecondition(
        "run {} keeps no weights of the models before trigger {}, so they cannot be used; name a "
        "run without `retention: {{models: ...}}`",
        run, state.retired().first_model());
  }
  return absl::OkStatus();
}

std::vector<std::string> DifferencesOf(const PipelineSpec& spec, const RunState& state) {
  std::vector<std::string> differences;
  if (!spec.selection->DependsOnCutAlone()) {
    differences.emplace_back(
        "the training sets of the models depend on more than their cuts; that of `selection: "
        "{type: all_data, limit: ..., limit_by: latest}` does not");
  }
  if (state.live()) {
    differences.emplace_back("the models belong to a live run, which trained on what had come");
  }
  return differences;
}

}  // namespace

absl::StatusOr<StoredModels> StoredModels::Of(const RunRow& run, const PipelineSpec& spec,
                                              const RunState& state) {
  RETURN_IF_ERROR(CheckUsable(run.run_id.value, spec, state));
  StoredModels stored;
  stored.run_id_ = run.run_id.value;
  stored.differences_ = DifferencesOf(spec, state);
  stored.depends_on_first_ = spec.training.EffectiveFit() == models::Fit::kFirstTrigger;
  // A training that may be reused draws by its training set, others by the number of their trigger.
  stored.depends_on_number_ = !spec.training.reuse;
  rpc::v1::Command command;
  command.set_request_id(fmt::format("run/{}/backtest", run.run_id.value));
  command.set_run_id(run.run_id.value);
  command.set_run_epoch(run.run_epoch);
  const std::string workers = spec.preprocess.WorkersText();
  for (const TriggerState& trigger : StoredTriggers(state)) {
    stored.models_.push_back(
        {.at = FromProto(trigger.trigger.at()),
         .trigger = trigger.trigger.number(),
         .model = {
             .model_id = trigger.trigger.model_id(), .command = command, .workers = workers}});
  }
  if (stored.models_.empty()) {
    return FailedPrecondition("run {} has no model that can be used", run.run_id.value);
  }
  return stored;
}

const StoredModels::Model* StoredModels::At(const Cut& trained_to) const {
  const auto behind =
      std::upper_bound(models_.begin(), models_.end(), trained_to,
                       [](const Cut& cut, const Model& model) { return cut < model.at; });
  return behind == models_.begin() ? nullptr : &*std::prev(behind);
}

}  // namespace tidemill::supervisor

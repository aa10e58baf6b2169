#include "supervisor/run_state.h"

#include <algorithm>

namespace tidemill::supervisor {

int64_t RunState::num_samples() const {
  int64_t total = 0;
  for (const TriggerState& trigger : triggers_) total += trigger.trigger.num_samples();
  return total;
}

// An event about a trigger follows the one that it fired, so it is there.
TriggerState& RunState::At(int64_t trigger) {
  return triggers_.at(static_cast<size_t>(trigger - 1));
}

void RunState::Apply(const v1::RunEvent& event) {
  switch (event.kind_case()) {
    case v1::RunEvent::kRunStarted:
      state_ = v1::RUN_STATE_RUNNING;
      max_triggers_ = event.run_started().max_triggers();
      break;
    case v1::RunEvent::kDatasetSynced:
      datasets_[event.dataset_synced().name()] = event.dataset_synced();
      break;
    case v1::RunEvent::kStreamEnded:
      stream_ended_ = true;
      if (event.stream_ended().has_end()) {
        *datasets_[event.stream_ended().dataset()].mutable_to() = event.stream_ended().end();
      }
      break;
    case v1::RunEvent::kEvaluationFinished:
      finished_evaluations_.insert(event.evaluation_finished().evaluation());
      break;
    case v1::RunEvent::kRunSucceeded:
      state_ = v1::RUN_STATE_SUCCEEDED;
      break;
    case v1::RunEvent::kRunFailed:
      state_ = v1::RUN_STATE_FAILED;
      error_ = event.run_failed().error();
      break;
    case v1::RunEvent::kRunStopped:
      state_ = v1::RUN_STATE_STOPPED;
      break;
    case v1::RunEvent::kRunResumed:
      state_ = v1::RUN_STATE_RUNNING;
      error_.clear();
      break;
    default:
      ApplyToTrigger(event);
  }
}

void RunState::ApplyToTrigger(const v1::RunEvent& event) {
  switch (event.kind_case()) {
    case v1::RunEvent::kTriggerFired: {
      TriggerState fired;
      if (!triggers_.empty()) fired.from = triggers_.back().trigger.at();
      fired.trigger.set_number(event.trigger_fired().trigger());
      *fired.trigger.mutable_at() = event.trigger_fired().at();
      triggers_.push_back(fired);
      break;
    }
    case v1::RunEvent::kTrainingSetSealed: {
      const v1::TrainingSetSealed& sealed = event.training_set_sealed();
      TriggerState& of = At(sealed.trigger());
      of.sealed = true;
      of.trigger.set_num_samples(sealed.num_samples());
      of.trigger.set_training_set_digest(sealed.digest());
      (*of.trigger.mutable_stage_seconds())["select"] = sealed.seconds();
      break;
    }
    case v1::RunEvent::kGraphFitted: {
      TriggerState& of = At(event.graph_fitted().trigger());
      of.fitted = true;
      (*of.trigger.mutable_stage_seconds())["fit"] = event.graph_fitted().seconds();
      break;
    }
    case v1::RunEvent::kModelTrained: {
      TriggerState& of = At(event.model_trained().trigger());
      of.trained = true;
      of.trigger.set_num_skipped(event.model_trained().num_skipped());
      (*of.trigger.mutable_stage_seconds())["train"] = event.model_trained().seconds();
      break;
    }
    case v1::RunEvent::kModelStored: {
      const v1::ModelStored& stored = event.model_stored();
      TriggerState& of = At(stored.trigger());
      of.stored = true;
      of.trigger.set_model_id(stored.model_id());
      of.trigger.set_weights_digest(stored.weights_digest());
      (*of.trigger.mutable_stage_seconds())["store"] = stored.seconds();
      break;
    }
    default:
      break;
  }
}

int64_t FittedTrigger(const RunPlan& plan, int64_t trigger) {
  return plan.fit_each_trigger ? trigger : 1;
}

Step NextStep(const RunState& state, const RunPlan& plan) {
  if (state.state() != v1::RUN_STATE_RUNNING) return {};
  for (const std::string& dataset : plan.datasets) {
    if (!state.datasets().contains(dataset)) return {.stage = Stage::kSync, .dataset = dataset};
  }
  if (!state.triggers().empty()) {
    const TriggerState& last = state.triggers().back();
    const int64_t number = last.trigger.number();
    if (!last.sealed) return {.stage = Stage::kSelect, .trigger = number};
    if (!last.fitted && FittedTrigger(plan, number) == number) {
      return {.stage = Stage::kFit, .trigger = number};
    }
    if (!last.trained) return {.stage = Stage::kTrain, .trigger = number};
    if (!last.stored) return {.stage = Stage::kStore, .trigger = number};
  }
  if (!state.stream_ended()) return {.stage = Stage::kDecide};
  for (int32_t evaluation = 0; evaluation < plan.num_evaluations; ++evaluation) {
    if (!state.finished_evaluations().contains(evaluation)) {
      return {.stage = Stage::kEvaluate, .evaluation = evaluation};
    }
  }
  return {.stage = Stage::kFinish};
}

}  // namespace tidemill::supervisor

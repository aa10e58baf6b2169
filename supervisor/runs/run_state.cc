#include "supervisor/runs/run_state.h"

#include <algorithm>

namespace tidemill::supervisor {

int64_t RunState::num_samples() const {
  int64_t total = 0;
  for (const TriggerState& trigger : triggers_) total += trigger.trigger.num_samples();
  return total;
}

// An event about a trigger follows the event that it fired, so the trigger is known.
TriggerState& RunState::At(int64_t trigger) {
  return triggers_.at(static_cast<size_t>(trigger - 1));
}

bool RunState::IsFresh(const std::string& dataset) const {
  const auto it = synced_in_round_.find(dataset);
  return it != synced_in_round_.end() && it->second == round_;
}

int64_t RunState::num_stored() const {
  return std::count_if(triggers_.begin(), triggers_.end(),
                       [](const TriggerState& trigger) { return trigger.stored; });
}

const TriggerState* RunState::LastStoredBefore(int64_t trigger) const {
  for (auto it = triggers_.rbegin(); it != triggers_.rend(); ++it) {
    if (it->stored && it->trigger.number() < trigger) return &*it;
  }
  return nullptr;
}

const TriggerState* RunState::LastStored() const {
  return LastStoredBefore(static_cast<int64_t>(triggers_.size()) + 1);
}

const TriggerState* RunState::Unfinished() const {
  const auto found = std::find_if(triggers_.begin(), triggers_.end(),
                                  [](const TriggerState& trigger) { return !trigger.ended(); });
  return found == triggers_.end() ? nullptr : &*found;
}

bool RunState::NothingTrained() const {
  if (triggers_.empty() || num_stored() > 0 || Unfinished() != nullptr) return false;
  const auto failed = std::count_if(triggers_.begin(), triggers_.end(),
                                    [](const TriggerState& trigger) { return trigger.failed; });
  return stream_ended_ || failed >= kMaxFailedTrainings;
}

void RunState::Apply(const v1::RunEvent& event) {
  switch (event.kind_case()) {
    case v1::RunEvent::kRunStarted:
      state_ = v1::RUN_STATE_RUNNING;
      max_triggers_ = event.run_started().max_triggers();
      live_ = event.run_started().live();
      plugins_.assign(event.run_started().plugins().begin(), event.run_started().plugins().end());
      set_values_.assign(event.run_started().set_values().begin(),
                         event.run_started().set_values().end());
      in_sweep_ = event.run_started().has_in_sweep();
      break;
    case v1::RunEvent::kPluginsChanged:
      plugins_.assign(event.plugins_changed().plugins().begin(),
                      event.plugins_changed().plugins().end());
      break;
    case v1::RunEvent::kEvaluationFinished:
      finished_evaluations_.insert(
          {event.evaluation_finished().round(), event.evaluation_finished().evaluation()});
      break;
    case v1::RunEvent::kChallengersJudged:
      judged_rounds_.insert(event.challengers_judged().round());
      for (const v1::JudgedChallenger& judged : event.challengers_judged().judged()) {
        if (!judged.is_open()) judged_.insert(judged.trigger());
      }
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
    default:
      ApplyToStream(event);
      ApplyToTrigger(event);
  }
}

void RunState::BeginRound() {
  if (!live_) return;
  ++round_;
  round_pending_ = true;
}

void RunState::Resume() {
  state_ = v1::RUN_STATE_RUNNING;
  error_.clear();
  // A run that ended because of a stop continues.
  if (stop_requested_ && stream_ended_) {
    BeginRound();
    round_pending_ = false;
    stream_ended_ = false;
  }
  stop_requested_ = false;
  if (num_stored() > 0) return;
  // Without a model there is nothing to continue from: what failed is tried again.
  for (TriggerState& trigger : triggers_) {
    trigger.skipped = trigger.failed = false;
    trigger.trigger.clear_skip_reason();
  }
}

void RunState::ApplyToStream(const v1::RunEvent& event) {
  switch (event.kind_case()) {
    case v1::RunEvent::kDatasetSynced:
      datasets_[event.dataset_synced().name()] = event.dataset_synced();
      synced_in_round_[event.dataset_synced().name()] = round_;
      break;
    case v1::RunEvent::kStreamEnded:
      stream_ended_ = true;
      end_of_stream_ = event.stream_ended();
      if (event.stream_ended().has_end()) {
        *datasets_[event.stream_ended().dataset()].mutable_to() = event.stream_ended().end();
      }
      end_snapshot_ = event.stream_ended().snapshot();
      BeginRound();
      break;
    case v1::RunEvent::kSamplesAhead:
      samples_ahead_ = event.samples_ahead();
      break;
    case v1::RunEvent::kStopRequested:
      stop_requested_ = true;
      break;
    case v1::RunEvent::kTriggerRequested:
      trigger_requested_ = true;
      break;
    case v1::RunEvent::kTriggerFired:
      trigger_requested_ = false;
      break;
    case v1::RunEvent::kRunResumed:
      Resume();
      break;
    default:
      break;
  }
}

void RunState::ApplyToTrigger(const v1::RunEvent& event) {
  switch (event.kind_case()) {
    case v1::RunEvent::kTriggerFired: {
      TriggerState fired;
      if (!triggers_.empty()) fired.from = triggers_.back().trigger.at();
      fired.trigger.set_number(event.trigger_fired().trigger());
      *fired.trigger.mutable_at() = event.trigger_fired().at();
      fired.num_new = event.trigger_fired().num_samples();
      fired.trigger.set_num_new(fired.num_new);
      fired.trigger.set_num_late(event.trigger_fired().num_late());
      if (event.trigger_fired().has_snapshot()) fired.snapshot = event.trigger_fired().snapshot();
      if (event.trigger_fired().has_stream_from()) {
        *datasets_[event.trigger_fired().dataset()].mutable_from() =
            event.trigger_fired().stream_from();
      }
      triggers_.push_back(fired);
      break;
    }
    case v1::RunEvent::kModelsRetired:
      retired_ = event.models_retired();
      for (TriggerState& trigger : triggers_) {
        const auto& kept = retired_.kept_models();
        const int64_t number = trigger.trigger.number();
        trigger.trigger.set_removed(trigger.stored && number < retired_.first_model() &&
                                    std::find(kept.begin(), kept.end(), number) == kept.end());
      }
      break;
    default:
      ApplyToStage(event);
  }
}

void RunState::ApplySkipped(const v1::TriggerSkipped& skipped) {
  TriggerState& state = At(skipped.trigger());
  state.skipped = true;
  state.failed = skipped.stage() != "select";
  state.trigger.set_skip_reason(skipped.reason());
  if (state.failed) return;
  state.num_new_unlabelled = skipped.num_new_unlabelled();
  state.num_fresh = 0;
  state.trigger.set_num_candidates(skipped.num_candidates());
  state.trigger.set_num_unlabelled(skipped.num_unlabelled());
  state.trigger.set_num_filtered(skipped.num_filtered());
}

void RunState::ApplyToStage(const v1::RunEvent& event) {
  switch (event.kind_case()) {
    case v1::RunEvent::kTrainingSetSealed: {
      const v1::TrainingSetSealed& sealed = event.training_set_sealed();
      TriggerState& state = At(sealed.trigger());
      state.sealed = true;
      state.trigger.set_num_samples(sealed.num_samples());
      state.trigger.set_num_candidates(sealed.num_candidates());
      state.trigger.set_num_unlabelled(sealed.num_unlabelled());
      state.trigger.set_num_filtered(sealed.num_filtered());
      if (sealed.has_num_new_unlabelled()) state.num_new_unlabelled = sealed.num_new_unlabelled();
      if (sealed.has_num_fresh()) state.num_fresh = sealed.num_fresh();
      state.trigger.set_training_set_digest(sealed.digest());
      (*state.trigger.mutable_stage_seconds())["select"] = sealed.seconds();
      break;
    }
    case v1::RunEvent::kGraphFitted: {
      TriggerState& state = At(event.graph_fitted().trigger());
      state.fitted = true;
      state.fitted_digest = event.graph_fitted().digest();
      (*state.trigger.mutable_stage_seconds())["fit"] = event.graph_fitted().seconds();
      break;
    }
    case v1::RunEvent::kModelTrained: {
      TriggerState& state = At(event.model_trained().trigger());
      state.trained = true;
      *state.trigger.mutable_result() = event.model_trained().result();
      // It is read again on request (run_history.h): states hold all triggers.
      state.trigger.mutable_result()->clear_loss_curve();
      // The trigger has them itself.
      state.trigger.mutable_result()->clear_training_set_digest();
      state.trigger.mutable_result()->clear_weights_digest();
      (*state.trigger.mutable_stage_seconds())["train"] = event.model_trained().seconds();
      state.trigger.set_training_digest(event.model_trained().training_digest());
      state.trigger.set_why_not_reusable(event.model_trained().why_not_reusable());
      if (event.model_trained().has_reused_from()) {
        *state.trigger.mutable_reused_from() = event.model_trained().reused_from();
      }
      break;
    }
    case v1::RunEvent::kModelStored: {
      const v1::ModelStored& stored = event.model_stored();
      TriggerState& state = At(stored.trigger());
      state.stored = true;
      state.trigger.set_model_id(stored.model_id());
      state.trigger.set_weights_digest(stored.weights_digest());
      (*state.trigger.mutable_stage_seconds())["store"] = stored.seconds();
      BeginRound();
      break;
    }
    case v1::RunEvent::kTriggerSkipped:
      ApplySkipped(event.trigger_skipped());
      break;
    default:
      break;
  }
}

int64_t FittedTrigger(const RunState& state, const RunPlan& plan, int64_t trigger) {
  if (plan.fit_each_trigger) return trigger;
  for (const TriggerState& before : state.triggers()) {
    if (before.trigger.number() >= trigger) break;
    if (before.stored) return before.trigger.number();
  }
  return trigger;
}

std::optional<v1::ModelsRetired> ToRetire(const RunState& state, const RunPlan& plan) {
  // Skipped triggers have no model to keep.
  const auto first_kept = [&](const std::optional<int64_t>& kept) -> int64_t {
    if (!kept) return 1;
    int64_t num_left = *kept;
    for (auto it = state.triggers().rbegin(); it != state.triggers().rend(); ++it) {
      if (it->stored && --num_left == 0) return it->trigger.number();
    }
    return 1;
  };
  v1::ModelsRetired retired;
  retired.set_first_model(first_kept(plan.kept_models));
  retired.set_first_training_set(first_kept(plan.kept_training_sets));
  const auto done = [](int64_t first, int64_t before) {
    return first <= std::max<int64_t>(1, before);
  };
  if (done(retired.first_model(), state.retired().first_model()) &&
      done(retired.first_training_set(), state.retired().first_training_set())) {
    return std::nullopt;
  }
  return retired;
}

namespace {

// The next step of the trigger that has not ended.
std::optional<Step> StepOfTrigger(const RunState& state, const RunPlan& plan) {
  const TriggerState* open = state.Unfinished();
  if (open == nullptr) return std::nullopt;
  const int64_t number = open->trigger.number();
  if (!open->sealed) return Step{.stage = Stage::kSelect, .trigger = number};
  if (!open->fitted && FittedTrigger(state, plan, number) == number) {
    return Step{.stage = Stage::kFit, .trigger = number};
  }
  if (!open->trained) return Step{.stage = Stage::kTrain, .trigger = number};
  return Step{.stage = Stage::kStore, .trigger = number};
}

// The next measurement, and then the next removal.
std::optional<Step> StepOfRound(const RunState& state, const RunPlan& plan) {
  // The first dataset is the one that is trained on, which a live run follows itself.
  for (size_t i = 1; state.live() && i < plan.datasets.size(); ++i) {
    if (!state.IsFresh(plan.datasets[i])) {
      return Step{.stage = Stage::kSync, .dataset = plan.datasets[i]};
    }
  }
  for (int32_t evaluation = 0; evaluation < plan.num_evaluations; ++evaluation) {
    if (!state.IsEvaluated(evaluation)) {
      return Step{.stage = Stage::kEvaluate, .evaluation = evaluation};
    }
  }
  if (plan.judges && !state.challengers_judged()) return Step{.stage = Stage::kJudge};
  if (ToRetire(state, plan)) return Step{.stage = Stage::kRetire};
  return std::nullopt;
}

}  // namespace

Step NextStep(const RunState& state, const RunPlan& plan) {
  if (state.state() != v1::RUN_STATE_RUNNING) return {};
  for (const std::string& dataset : plan.datasets) {
    if (!state.datasets().contains(dataset)) return {.stage = Stage::kSync, .dataset = dataset};
  }
  if (!state.stop_requested()) {
    if (const auto step = StepOfTrigger(state, plan)) return *step;
  }
  if (state.NothingTrained()) return {.stage = Stage::kFinish};
  const bool measure = state.stream_ended() || (state.round_pending() && !state.stop_requested());
  if (measure) {
    if (const auto step = StepOfRound(state, plan)) return *step;
  }
  return {.stage = state.stream_ended() ? Stage::kFinish : Stage::kDecide};
}

}  // namespace tidemill::supervisor

#include "supervisor/measuring/live_windows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "supervisor/measuring/windows.h"
#include "supervisor/runs/cuts.h"
#include "supervisor/runs/label_delay.h"

namespace tidemill::supervisor {
namespace {

bool IsLive(const RunState& state) { return state.live() && !state.stream_ended(); }

// The facts that decide which windows are whole.
struct Part {
  bool trained_on = false;
  Duration label_delay;
};

absl::StatusOr<Part> PartOf(const RunState& state, const PipelineSpec& spec,
                            const std::string& name) {
  const std::string& trained_on = spec.preprocess.dataset;
  ASSIGN_OR_RETURN(const Duration delay, LabelDelayOf(state.datasets().at(trained_on)));
  return Part{.trained_on = name == trained_on, .label_delay = delay};
}

// Ends a dataset right after the samples that a trigger knew, so that no window that reaches
// further is whole.
void EndBehind(const TriggerState& trigger, const Part& part, v1::DatasetSynced& dataset) {
  rpc::v1::Cut end;
  end.set_event_time(KnownAt(trigger.trigger.at(), part.label_delay).event_time() + 1);
  if (part.trained_on || Place(end) < Place(dataset.to())) {
    *dataset.mutable_to() = std::move(end);
  }
}

absl::StatusOr<std::vector<evaluator::v1::Window>> Closed(
    const evaluator::EvaluationSpec& evaluation, v1::DatasetSynced dataset,
    const std::vector<TriggerState>& triggers, const Part& part) {
  if (triggers.empty()) return std::vector<evaluator::v1::Window>();
  EndBehind(triggers.back(), part, dataset);
  ASSIGN_OR_RETURN(auto windows, WindowsToMeasure(evaluation, dataset, triggers));
  std::erase_if(windows, [&](const evaluator::v1::Window& window) {
    return Place(window.to()) == Place(dataset.to());
  });
  return windows;
}

absl::StatusOr<std::vector<evaluator::v1::Window>> NewlyClosed(
    const evaluator::EvaluationSpec& evaluation, const v1::DatasetSynced& dataset,
    const std::vector<TriggerState>& triggers, const Part& part) {
  if (!part.trained_on && std::holds_alternative<evaluator::Whole>(evaluation.windows)) {
    ASSIGN_OR_RETURN(auto windows, WindowsToMeasure(evaluation, dataset, triggers));
    for (auto& window : windows) {
      window.clear_model_ids();
      window.add_model_ids(triggers.back().trigger.model_id());
    }
    return windows;
  }
  const auto bounds = [](const evaluator::v1::Window& window) {
    return std::pair(Place(window.from()), Place(window.to()));
  };
  std::set<decltype(bounds(evaluator::v1::Window()))> before;
  const std::vector<TriggerState> earlier(triggers.begin(), std::prev(triggers.end()));
  ASSIGN_OR_RETURN(const auto closed_before, Closed(evaluation, dataset, earlier, part));
  for (const auto& window : closed_before) before.insert(bounds(window));
  ASSIGN_OR_RETURN(auto windows, Closed(evaluation, dataset, triggers, part));
  std::erase_if(windows, [&](const auto& window) { return before.contains(bounds(window)); });
  return windows;
}

}  // namespace

std::vector<TriggerState> StoredTriggers(const RunState& state) {
  std::vector<TriggerState> stored;
  for (const TriggerState& trigger : state.triggers()) {
    if (trigger.stored) stored.push_back(trigger);
  }
  return stored;
}

absl::StatusOr<v1::DatasetSynced> MeasuredPart(const RunState& state, const PipelineSpec& spec,
                                               const std::string& name) {
  v1::DatasetSynced dataset = state.datasets().at(name);
  const std::vector<TriggerState> stored = StoredTriggers(state);
  if (IsLive(state) && !stored.empty()) {
    ASSIGN_OR_RETURN(const Part part, PartOf(state, spec, name));
    EndBehind(stored.back(), part, dataset);
  }
  return dataset;
}

absl::StatusOr<WindowsOfRound> WindowsToMeasureNow(const RunState& state, const PipelineSpec& spec,
                                                   const evaluator::EvaluationSpec& evaluation) {
  WindowsOfRound round;
  const std::vector<TriggerState> stored = StoredTriggers(state);
  std::set<int64_t> removed;
  for (const TriggerState& trigger : stored) {
    const int64_t model = trigger.trigger.model_id();
    if (trigger.trigger.removed()) {
      removed.insert(model);
    } else {
      round.model_ids.push_back(model);
    }
  }
  if (stored.empty()) return round;
  const v1::DatasetSynced& dataset = state.datasets().at(evaluation.dataset);
  if (IsLive(state)) {
    ASSIGN_OR_RETURN(const Part part, PartOf(state, spec, evaluation.dataset));
    ASSIGN_OR_RETURN(round.windows, NewlyClosed(evaluation, dataset, stored, part));
  } else {
    ASSIGN_OR_RETURN(round.windows, WindowsToMeasure(evaluation, dataset, stored));
  }
  std::erase_if(round.windows, [&](evaluator::v1::Window& window) {
    if (window.model_ids().empty()) return false;
    const std::vector<int64_t> named(window.model_ids().begin(), window.model_ids().end());
    window.clear_model_ids();
    for (const int64_t model : named) {
      if (!removed.contains(model)) window.add_model_ids(model);
    }
    return window.model_ids().empty();
  });
  round.num_removed_models = static_cast<int64_t>(removed.size());
  return round;
}

void AddHorizons(const std::vector<TriggerState>& triggers, Duration label_delay,
                 rpc::v1::Snapshot& snapshot) {
  for (const TriggerState& trigger : triggers) {
    if (!trigger.snapshot) continue;
    rpc::v1::Horizon& horizon = *snapshot.add_horizons();
    *horizon.mutable_before() = KnownAt(trigger.trigger.at(), label_delay);
    horizon.set_committed_key(trigger.snapshot->committed_key());
  }
}

std::vector<evaluator::v1::Evaluation> NewestOfEach(std::vector<evaluator::v1::Evaluation> values,
                                                    int num_evaluations) {
  if (num_evaluations == 0) return values;
  const auto identity = [&](const evaluator::v1::Evaluation& value) {
    return std::tuple(value.evaluation() % num_evaluations, value.model_id(), Place(value.from()),
                      Place(value.to()), value.measure(), value.slice(), value.baseline());
  };
  std::map<decltype(identity(values.front())), int32_t> newest;
  for (const auto& value : values) {
    int32_t& round = newest[identity(value)];
    round = std::max(round, value.evaluation() / num_evaluations);
  }
  std::erase_if(values, [&](const auto& value) {
    return value.evaluation() / num_evaluations < newest.at(identity(value));
  });
  for (auto& value : values) value.set_evaluation(value.evaluation() % num_evaluations);
  std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.evaluation(), a.model_id(), Place(a.from())) <
           std::tuple(b.evaluation(), b.model_id(), Place(b.from()));
  });
  return values;
}

}  // namespace tidemill::supervisor

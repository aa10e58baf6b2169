#include "supervisor/windows.h"

#include <algorithm>
#include <tuple>
#include <variant>

#include "base/overloaded.h"

namespace tidemill::supervisor {
namespace {

auto Place(const rpc::v1::Cut& cut) { return std::tuple(cut.event_time(), cut.sample_key()); }

rpc::v1::Cut CutAt(int64_t event_time) {
  rpc::v1::Cut cut;
  cut.set_event_time(event_time);
  return cut;
}

// The inner edges between the windows; ascending.
std::vector<rpc::v1::Cut> InnerEdges(const evaluator::WindowsSpec& spec,
                                     const v1::DatasetSynced& dataset,
                                     const std::vector<TriggerState>& triggers) {
  std::vector<rpc::v1::Cut> edges;
  std::visit(Overloaded{[&](const evaluator::BetweenTriggers&) {
                          for (const TriggerState& trigger : triggers) {
                            edges.push_back(trigger.trigger.at());
                          }
                        },
                        [&](const evaluator::Slices& slices) {
                          const int64_t end = dataset.to().event_time();
                          for (int64_t time = dataset.from().event_time() + slices.every.micros;
                               time < end; time += slices.every.micros) {
                            edges.push_back(CutAt(time));
                          }
                        },
                        [](const evaluator::Whole&) {}},
             spec);
  return edges;
}

void NameModels(Window& window, const std::vector<TriggerState>& triggers) {
  for (const TriggerState& trigger : triggers) {
    if (Place(trigger.trigger.at()) <= Place(window.from)) {
      window.active_trigger = trigger.trigger.number();
    } else if (!window.trained_trigger && Place(trigger.trigger.at()) >= Place(window.to)) {
      window.trained_trigger = trigger.trigger.number();
    }
  }
}

int64_t ModelOf(const std::vector<TriggerState>& triggers, int64_t trigger) {
  return triggers.at(static_cast<size_t>(trigger - 1)).trigger.model_id();
}

// The values that a trigger's model has on a window, as members of a composite series.
void AddValues(const Window& window, const std::optional<int64_t>& trigger,
               const std::vector<evaluator::v1::Evaluation>& values,
               std::vector<v1::CompositeValue>& series) {
  if (!trigger) return;
  for (const evaluator::v1::Evaluation& value : values) {
    if (value.trigger() != *trigger || Place(value.from()) != Place(window.from) ||
        Place(value.to()) != Place(window.to)) {
      continue;
    }
    v1::CompositeValue& member = series.emplace_back();
    *member.mutable_from() = window.from;
    *member.mutable_to() = window.to;
    member.set_measure(value.measure());
    if (value.has_value()) member.set_value(value.value());
    member.set_num_samples(value.num_samples());
    member.set_trigger(*trigger);
    member.set_dataset(value.dataset_name());
  }
}

}  // namespace

std::vector<Window> MakeWindows(const evaluator::WindowsSpec& spec,
                                const v1::DatasetSynced& dataset,
                                const std::vector<TriggerState>& triggers) {
  std::vector<rpc::v1::Cut> edges = InnerEdges(spec, dataset, triggers);
  edges.push_back(dataset.to());
  std::vector<Window> windows;
  rpc::v1::Cut from = dataset.from();
  for (const rpc::v1::Cut& edge : edges) {
    const rpc::v1::Cut& to = Place(edge) < Place(dataset.to()) ? edge : dataset.to();
    if (Place(to) <= Place(from)) continue;
    Window& window = windows.emplace_back(Window{.from = from, .to = to});
    NameModels(window, triggers);
    from = to;
  }
  return windows;
}

std::vector<evaluator::v1::Window> WindowsToMeasure(const evaluator::EvaluationSpec& spec,
                                                    const v1::DatasetSynced& dataset,
                                                    const std::vector<TriggerState>& triggers) {
  std::vector<evaluator::v1::Window> measured;
  const bool whole = std::holds_alternative<evaluator::Whole>(spec.windows);
  for (const Window& window : MakeWindows(spec.windows, dataset, triggers)) {
    evaluator::v1::Window wire;
    *wire.mutable_from() = window.from;
    *wire.mutable_to() = window.to;
    if (spec.models == evaluator::EvaluatedModels::kActive) {
      std::optional<int64_t> active = window.active_trigger;
      if (whole && !triggers.empty()) active = triggers.back().trigger.number();
      if (!active) continue;
      wire.add_model_ids(ModelOf(triggers, *active));
    }
    measured.push_back(wire);
  }
  return measured;
}

Composites MakeComposites(const evaluator::EvaluationSpec& spec, const v1::DatasetSynced& dataset,
                          const std::vector<TriggerState>& triggers,
                          const std::vector<evaluator::v1::Evaluation>& values) {
  Composites composites;
  if (std::holds_alternative<evaluator::Whole>(spec.windows)) return composites;
  for (const Window& window : MakeWindows(spec.windows, dataset, triggers)) {
    AddValues(window, window.active_trigger, values, composites.active);
    AddValues(window, window.trained_trigger, values, composites.trained);
  }
  return composites;
}

}  // namespace tidemill::supervisor

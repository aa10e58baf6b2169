// The common code of selection policies and downsampling methods: their text in the reference, and
// the steps of a schedule. Steps serve the triggers of a run one after the other. A Step has
// `triggers`, the number of triggers that it serves (absent in the last step), and `use`, a Choice.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "config/documents/problems.h"

namespace tidemill::config {

// The text of the reference about a part that chooses samples, besides its keys.
struct ChoosingText {
  std::string_view rule;     // The rule by which it chooses.
  std::string_view weights;  // The weights of the chosen samples.
  std::string_view cost;     // The cost in time and memory.
  std::string_view source;   // The source of the algorithm; may be empty.
};

// Notes a problem for steps that serve no trigger, and for steps that are schedules (of type
// `schedule`) themselves. `hint` shows how to write a step before the last.
template <typename Step>
void CheckTriggerSteps(const std::vector<Step>& steps, std::string_view schedule,
                       std::string_view hint, Problems& problems) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool is_last = i + 1 == steps.size();
    if (steps[i].triggers.has_value() == is_last) {
      problems.Add("steps", "need `triggers` in each step but the last", hint);
      return;
    }
    if (steps[i].use.type() == schedule) {
      problems.Add("steps", "contain another schedule", "write the steps of that schedule here");
      return;
    }
  }
}

// Returns the step that serves a trigger, from 1. `trigger` becomes its number within the step.
// Returns nullptr when no step serves it; the check rejects such a schedule.
template <typename Step>
const Step* StepServing(const std::vector<Step>& steps, int64_t& trigger) {
  for (const Step& step : steps) {
    if (!step.triggers || trigger <= *step.triggers) return &step;
    trigger -= *step.triggers;
  }
  return nullptr;
}

}  // namespace tidemill::config

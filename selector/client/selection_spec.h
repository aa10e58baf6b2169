// The `selection` section of a pipeline: on which samples a trigger trains.
//
//   selection: new_data
//   selection: {type: uniform, fraction: 0.25, over: all}
//   selection: {type: balanced, samples: 10_000, over: all, weights: inverse_probability}
//   selection: {type: schedule, steps: [{triggers: 3, use: all_data}, {use: {type: k_center,
//   fraction: 0.1}}]}
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "selector/client/embedding_policies.h"
#include "selector/client/sampling_policies.h"

namespace tidemill::selector {

struct SelectionSchedule;

// A new policy is one line here, its struct beside the others and one file in selector/policies/.
using SelectionSpec =
    std::variant<NewData, AllData, Uniform, Balanced, Freshness, Reservoir, Importance, KCenter,
                 FacilityLocation, KMedoids, Pairwise, Deduplicated, SelectionSchedule>;

struct SelectionStep;

struct SelectionSchedule {
  static constexpr std::string_view kType = "schedule";
  static constexpr std::string_view kDoc = "Chooses by one policy after the other.";
  static constexpr std::string_view kRule =
      "the first step serves the first `triggers` triggers, the next one those after them; the "
      "last "
      "step serves all others";
  static constexpr std::string_view kWeights = "those of the step's policy";
  static constexpr std::string_view kCost = "that of the step's policy";
  std::vector<SelectionStep> steps;

  void Fields(auto&& field);
  void Check(config::Problems& problems) const;
};

struct SelectionStep {
  static constexpr std::string_view kDoc = "One step of the schedule.";
  std::optional<int64_t> triggers = std::nullopt;
  SelectionSpec use;

  void Fields(auto&& field) {
    field("triggers", triggers, "How many triggers it serves; not for the last step.", {.min = 1});
    field("use", use, "The policy; no schedule.", {.required = true});
  }
};

void SelectionSchedule::Fields(auto&& field) {
  field("steps", steps, "The policies, in the order of the triggers that they serve.",
        {.required = true, .min_items = 1, .max_items = 1000});
}

inline void SelectionSchedule::Check(config::Problems& problems) const {
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool is_last = i + 1 == steps.size();
    if (steps[i].triggers.has_value() == is_last) {
      problems.Add("steps", "need `triggers` each, but for the last",
                   "write {triggers: 3, use: all_data} before it");
      return;
    }
    if (std::holds_alternative<SelectionSchedule>(steps[i].use)) {
      problems.Add("steps", "hold a schedule", "write its steps here");
      return;
    }
  }
}

// The policy that serves a trigger, from 1: what a schedule says, and all candidates while a policy
// warms up, as NewData or AllData of the same pool. A step of a schedule warms up in its own first
// triggers.
SelectionSpec PolicyOf(const SelectionSpec& spec, int64_t trigger);

// From where a policy, no schedule, takes its candidates: `tail` when there is one, else `over`.
CandidatePool PoolOf(const SelectionSpec& spec);

// What the policy looks at beside keys, event times and labels; of a schedule the most that one of
// its steps does.
enum class LooksAt { kNothing, kColumn, kModel };
LooksAt WhatItLooksAt(const SelectionSpec& spec);

// As `type` in a pipeline.
std::string_view NameOf(const SelectionSpec& spec);

}  // namespace tidemill::selector

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::selector::SelectionSpec);

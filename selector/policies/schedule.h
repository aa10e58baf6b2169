// Lets one policy after the other choose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "config/choosing_part.h"
#include "config/config.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

struct SelectionStep {
  static constexpr std::string_view kDoc = "One step of the schedule.";
  std::optional<int64_t> triggers = std::nullopt;
  SelectionSpec use;

  void Fields(auto&& field) {
    field("triggers", triggers, "How many triggers the step serves. The last step has no such key.",
          {.min = 1});
    field("use", use, "The policy. It cannot be a schedule.", {.required = true});
  }
};

struct SelectionSchedule {
  static constexpr std::string_view kType = "schedule";
  static constexpr std::string_view kDoc = "Uses one policy after the other.";
  static constexpr std::string_view kRule =
      "the first step serves the first `triggers` triggers, the next step those after them; the "
      "last step serves all others";
  static constexpr std::string_view kWeights = "those of the step's policy";
  static constexpr std::string_view kCost = "that of the step's policy";
  static constexpr std::string_view kSource = "";
  std::vector<SelectionStep> steps;

  void Fields(auto&& field) {
    field("steps", steps, "The policies, in the order of the triggers that they serve.",
          {.required = true, .min_items = 1, .max_items = 1000});
  }
  void Check(config::Problems& problems) const {
    config::CheckTriggerSteps(steps, kType, "write {triggers: 3, use: all_data} before it",
                              problems);
  }

  CandidatePool TakesFrom() const { return {.over = Pool::kAll}; }
  int64_t Target(int64_t available) const { return available; }
  LooksAt WhatItLooksAt() const {
    LooksAt most = LooksAt::kNothing;
    for (const SelectionStep& step : steps) most = std::max(most, step.use->WhatItLooksAt());
    return most;
  }
  Recalls WhatItRecalls() const {
    Recalls most = Recalls::kNothing;
    for (const SelectionStep& step : steps) most = std::max(most, step.use->WhatItRecalls());
    return most;
  }
};

// Returns the chooser of the step that serves the trigger named by `random`.
std::unique_ptr<Chooser> MakeChooser(const SelectionSchedule& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

template <>
class SelectionOf<SelectionSchedule> final : public SelectionBase<SelectionSchedule> {
 public:
  SelectionSpec PolicyAt(int64_t trigger) const override {
    const SelectionStep* const step = config::StepServing(spec_.steps, trigger);
    if (step != nullptr) return step->use->PolicyAt(trigger);
    return {};  // Check() rejects such a schedule.
  }
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override {
    for (size_t i = 0; i < spec_.steps.size(); ++i) {
      const config::Problems::Scope scope(problems, fmt::format("steps[{}].use", i));
      spec_.steps[i].use->CheckSamples(samples, problems);
    }
  }
  std::vector<SelectionSpec> members() const override {
    std::vector<SelectionSpec> members;
    for (const SelectionStep& step : spec_.steps) members.push_back(step.use);
    return members;
  }
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override {
    for (size_t i = 0; i < spec_.steps.size(); ++i) {
      const config::Problems::Scope scope(problems, fmt::format("steps[{}].use", i));
      spec_.steps[i].use->TakeFiles(files, problems);
    }
  }
};

}  // namespace tidemill::selector

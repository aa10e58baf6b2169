// The `downsampling` of a `training` section: on which of its samples a training spends its time.
//
//   downsampling: {type: margin, fraction: 0.1}
//   downsampling: {type: loss, fraction: 0.25, when: batch_then_sample}
//   downsampling: {type: schedule, steps: [{triggers: 2, use: none}, {use: {type: rs2, fraction:
//   0.1}}]}
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "models/training/downsampling_coresets.h"
#include "models/training/downsampling_scores.h"

namespace tidemill::models {

struct NoDownsampling {
  static constexpr std::string_view kType = "none";
  static constexpr std::string_view kDoc = "Each epoch trains on every sample.";
  static constexpr std::string_view kRule = "everything";
  static constexpr std::string_view kWeights = "those of the training set";
  static constexpr std::string_view kCost = "nothing";
  void Fields(auto&&) {}
  friend bool operator==(const NoDownsampling&, const NoDownsampling&) = default;
};

struct DownsamplingSchedule;

// A new method is one line here, its struct beside the others and one file in
// trainer_server/downsampling/.
using DownsamplingSpec =
    std::variant<NoDownsampling, UniformSubset, Rs2, LossSampling, GradientNormSampling,
                 LeastConfidence, Margin, Entropy, El2n, Craig, GradMatch, SubmodularGradients,
                 RhoLoss, InfoBatch, DownsamplingSchedule>;

struct DownsamplingStep;

struct DownsamplingSchedule {
  static constexpr std::string_view kType = "schedule";
  static constexpr std::string_view kDoc = "One method after the other.";
  static constexpr std::string_view kRule =
      "the first step serves the first `triggers` triggers, the next one those after them; the "
      "last "
      "step serves all others";
  static constexpr std::string_view kWeights = "those of the step's method";
  static constexpr std::string_view kCost = "that of the step's method";
  std::vector<DownsamplingStep> steps;

  void Fields(auto&& field);
  void Check(config::Problems& problems) const;
  friend bool operator==(const DownsamplingSchedule& a, const DownsamplingSchedule& b);
};

struct DownsamplingStep {
  static constexpr std::string_view kDoc = "One step of the schedule.";
  std::optional<int64_t> triggers = std::nullopt;
  DownsamplingSpec use;

  void Fields(auto&& field) {
    field("triggers", triggers, "How many triggers it serves; not for the last step.", {.min = 1});
    field("use", use, "The method; no schedule.", {.required = true});
  }
  friend bool operator==(const DownsamplingStep&, const DownsamplingStep&) = default;
};

inline bool operator==(const DownsamplingSchedule& a, const DownsamplingSchedule& b) {
  return a.steps == b.steps;
}

void DownsamplingSchedule::Fields(auto&& field) {
  field("steps", steps, "The methods, in the order of the triggers that they serve.",
        {.required = true, .min_items = 1, .max_items = 1000});
}

inline void DownsamplingSchedule::Check(config::Problems& problems) const {
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool is_last = i + 1 == steps.size();
    if (steps[i].triggers.has_value() == is_last) {
      problems.Add("steps", "need `triggers` each, but for the last",
                   "write {triggers: 3, use: none} before it");
      return;
    }
    if (std::holds_alternative<DownsamplingSchedule>(steps[i].use)) {
      problems.Add("steps", "hold a schedule", "write its steps here");
      return;
    }
  }
}

// The method that serves a trigger, from 1: what a schedule says, none while it warms up.
DownsamplingSpec MethodOf(const DownsamplingSpec& spec, int64_t trigger);

}  // namespace tidemill::models

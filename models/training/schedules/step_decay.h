// A learning rate that falls step by step: by factor^floor(step / length).
#pragma once

#include <cstdint>
#include <string_view>

#include "config/config.h"
#include "models/training/schedules/schedule_length.h"

namespace tidemill::models {

struct StepDecay : ScheduleLength {
  static constexpr std::string_view kType = "step";
  static constexpr std::string_view kDoc = "Multiplies the learning rate again and again.";
  double factor = 0.1;

  void Fields(auto&& field) {
    FieldsOf(field);
    field("factor", factor, "Factor after each length.", {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const { CheckLength(problems, true); }
  double LearningRateFactor(int64_t step, int64_t total) const;
  friend bool operator==(const StepDecay&, const StepDecay&) = default;
};

}  // namespace tidemill::models

// A learning rate that falls along a polynomial: with p = min(1, step / length), final + (1 -
// final) * (1 - p)^power.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/config.h"
#include "models/training/schedules/schedule_length.h"

namespace tidemill::models {

struct Polynomial : ScheduleLength {
  static constexpr std::string_view kType = "polynomial";
  static constexpr std::string_view kDoc =
      "Falls as (1 - progress)^power, by default to the end of the training. With power 1 it falls "
      "linearly.";
  double power = 1;
  double final = 0;

  void Fields(auto&& field) {
    FieldsOf(field);
    field("power", power, "The power.", {.min = 0.01, .max = 100});
    field("final", final, "Factor at the end of the schedule and after it.", {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const { CheckLength(problems, false); }
  double LearningRateFactor(int64_t step, int64_t total) const;
  friend bool operator==(const Polynomial&, const Polynomial&) = default;
};

}  // namespace tidemill::models

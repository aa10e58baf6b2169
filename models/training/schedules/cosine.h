// A learning rate that falls along a cosine: with p = min(1, step / length), final + (1 - final) *
// (1 + cos(pi * p)) / 2.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/config.h"
#include "models/training/schedules/schedule_length.h"

namespace tidemill::models {

struct Cosine : ScheduleLength {
  static constexpr std::string_view kType = "cosine";
  static constexpr std::string_view kDoc =
      "Falls along half a cosine (Loshchilov and Hutter, 2017), by default to the end of the "
      "training.";
  double final = 0;

  void Fields(auto&& field) {
    FieldsOf(field);
    field("final", final, "Factor at the end of the schedule and after it.", {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const { CheckLength(problems, false); }
  double LearningRateFactor(int64_t step, int64_t total) const;
  friend bool operator==(const Cosine&, const Cosine&) = default;
};

}  // namespace tidemill::models

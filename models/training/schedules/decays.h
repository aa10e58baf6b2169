// The schedules by which the learning rate falls.
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

// The schedules by which the learning rate rises and falls.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/config.h"
#include "models/training/schedules/schedule_length.h"

namespace tidemill::models {

struct OneCycle : ScheduleLength {
  static constexpr std::string_view kType = "one_cycle";
  static constexpr std::string_view kDoc =
      "Rises to the full learning rate and falls nearly to zero (Smith and Topin, 2018), by "
      "default "
      "over the whole training. Momentum stays unchanged.";
  double rise = 0.3;
  double initial = 0.04;
  double final = 4e-6;

  void Fields(auto&& field) {
    FieldsOf(field);
    field("rise", rise, "Share of the length over which the learning rate rises.",
          {.min = 0, .max = 1});
    field("initial", initial, "Factor of the first step.", {.min = 0, .max = 1});
    field("final", final, "Factor at the end of the schedule and after it.", {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const { CheckLength(problems, false); }
  double LearningRateFactor(int64_t step, int64_t total) const;
  friend bool operator==(const OneCycle&, const OneCycle&) = default;
};

struct CosineRestarts : ScheduleLength {
  static constexpr std::string_view kType = "cosine_restarts";
  static constexpr std::string_view kDoc =
      "Falls along half a cosine and begins again, each time after a longer fall (SGDR, Loshchilov "
      "and Hutter, 2017).";
  int64_t growth = 1;
  double final = 0;

  void Fields(auto&& field) {
    FieldsOf(field);
    field("growth", growth, "How many times as long as the last fall the next one is.",
          {.min = 1, .max = 100});
    field("final", final, "Factor at the end of each fall.", {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const { CheckLength(problems, true); }
  double LearningRateFactor(int64_t step, int64_t total) const;
  friend bool operator==(const CosineRestarts&, const CosineRestarts&) = default;
};

}  // namespace tidemill::models

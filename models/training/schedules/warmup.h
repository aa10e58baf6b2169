// A learning rate that rises before another schedule follows. Over w steps, the factor is initial +
// (1 - initial) * (step + 1) / w. The rise ends at step w, where the other schedule starts to
// count.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/config.h"
#include "models/training/schedules/schedule_length.h"
#include "models/training/schedules/schedule_spec.h"

namespace tidemill::models {

struct Warmup : ScheduleLength {
  static constexpr std::string_view kType = "warmup";
  static constexpr std::string_view kDoc =
      "Rises linearly to the full learning rate, then follows another schedule.";
  double initial = 0;
  ScheduleAfterWarmup then = {};

  void Fields(auto&& field) {
    FieldsOf(field);
    field("initial", initial, "Factor before the first step.", {.min = 0, .max = 1});
    field("then", then, "The schedule that follows. Its lengths count from the end of the rise.");
  }
  void Check(config::Problems& problems) const { CheckLength(problems, true); }
  double LearningRateFactor(int64_t step, int64_t total) const;
  const Plateau* Watched() const { return then->Watched(); }
  friend bool operator==(const Warmup&, const Warmup&) = default;
};

}  // namespace tidemill::models

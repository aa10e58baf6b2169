// The length of a schedule of the learning rate.
#pragma once

#include <cstdint>
#include <optional>

#include "config/config.h"

namespace tidemill::models {

// A length in optimiser steps, or as a share of the training.
struct ScheduleLength {
  std::optional<int64_t> steps = std::nullopt;
  std::optional<double> share = std::nullopt;

  void FieldsOf(auto&& field) {
    field("steps", steps, "Length in steps of the optimiser. You may give a share instead.",
          {.min = 1});
    field("share", share,
          "Length as a share of the training, or of the rest of it after a warm-up.",
          {.min = 0, .max = 1});
  }
  void CheckLength(config::Problems& problems, bool is_required) const {
    if (steps && share) problems.Add("share", "cannot be used with `steps`", "leave one out");
    if (is_required && !steps && !share) {
      problems.Add("", "needs a length", "write steps: 1000 or share: 0.1");
    }
  }

  // Returns the length in steps, at least one. It is `total` when nothing is set.
  int64_t StepsOf(int64_t total) const;
  // Returns the share of the length before `step`, at most 1.
  double ProgressAt(int64_t step, int64_t total) const;

  friend bool operator==(const ScheduleLength&, const ScheduleLength&) = default;
};

}  // namespace tidemill::models

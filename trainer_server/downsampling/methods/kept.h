// How many samples are kept, and from which trigger on. Most methods share these settings.
#pragma once

#include <cstdint>

#include "config/config.h"

namespace tidemill::trainer_server {

struct Kept {
  double fraction = 0.1;
  int64_t warmup_triggers = 0;

  void Fields(auto&& field) {
    field(
        "fraction", fraction,
        "Share of the samples that an epoch trains on. It is rounded down, to at least one sample.",
        {.min = 1e-6, .max = 1, .required = true, .example = "0.1"});
    field("warmup_triggers", warmup_triggers,
          "This many triggers at the beginning train on everything.", {.min = 0});
  }
  friend bool operator==(const Kept&, const Kept&) = default;
};

}  // namespace tidemill::trainer_server

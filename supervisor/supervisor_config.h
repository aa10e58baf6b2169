// The `supervisor` section of the system configuration.
#pragma once

#include "base/time.h"
#include "config/config.h"

namespace tidemill::supervisor {

struct SupervisorConfig {
  Duration member_timeout{10'000'000};

  void Fields(auto&& field) {
    field("member_timeout", member_timeout,
          "A trainer server or an evaluator that is silent for longer is lost. Its jobs continue "
          "elsewhere.",
          {.min = 1.5, .max = 3600});
  }
};

}  // namespace tidemill::supervisor

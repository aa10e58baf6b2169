// The `evaluator` section of the system configuration.
#pragma once

#include <cstdint>
#include <optional>

#include "base/config.h"

namespace tidemill::evaluator {

struct EvaluatorConfig {
  int jobs = 1;
  std::optional<int> threads;

  void Fields(auto&& field) {
    field("jobs", jobs, "Evaluations that run at once, each in its own process; others wait.",
          {.min = 1, .max = 64});
    field("threads", threads,
          "CPU threads of one evaluation; without it, the cores of the machine shared by `jobs`.",
          {.min = 1, .max = 1024});
  }
};

}  // namespace tidemill::evaluator

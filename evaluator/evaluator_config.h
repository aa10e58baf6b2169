// The `evaluator` section of the system configuration.
#pragma once

#include <cstdint>
#include <optional>

#include "config/config.h"

namespace tidemill::evaluator {

struct EvaluatorConfig {
  int jobs = 1;
  std::optional<int> threads;
  config::ByteSize model_memory{int64_t{1} << 30};
  config::ByteSize columns_bytes{int64_t{1} << 30};

  void Fields(auto&& field) {
    field("jobs", jobs,
          "Evaluations that run at once, each in its own process; others wait. As many jobs that "
          "compute columns for policies run beside them.",
          {.min = 1, .max = 64});
    field("threads", threads,
          "CPU threads of one evaluation; without it, the cores of the machine shared by `jobs`.",
          {.min = 1, .max = 1024});
    field("model_memory", model_memory,
          "Bytes of weights that all evaluations together keep in memory. A window whose models do "
          "not fit is read once for each part of them.",
          {.min = 1'048'576});
    field("columns_bytes", columns_bytes,
          "Room for what models said of samples, which policies ask for; beyond it the least "
          "recently used is computed again when it is asked for again.",
          {.min = 1'048'576});
  }
};

}  // namespace tidemill::evaluator

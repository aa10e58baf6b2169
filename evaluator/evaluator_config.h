// The `evaluator` section of the system configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"

namespace tidemill::evaluator {

struct EvaluatorConfig {
  int jobs = 1;
  std::optional<int> threads;
  config::ByteSize model_memory{int64_t{1} << 30};
  config::ByteSize columns_bytes{int64_t{1} << 30};
  int predictors = 2;
  std::string endpoint = {};

  void Fields(auto&& field) {
    field("jobs", jobs,
          "Evaluations that run at the same time, each in its own process. Others wait. The same "
          "number of jobs that compute columns for policies may run besides them.",
          {.min = 1, .max = 64});
    field("threads", threads,
          "CPU threads of one evaluation. By default, the evaluations that run at the same time "
          "(`jobs`) share the cores of the machine.",
          {.min = 1, .max = 1024});
    field("model_memory", model_memory,
          "Bytes of weights that all evaluations together keep in memory. If the models of a "
          "window do not fit, the window is read once for each part of them.",
          {.min = 1'048'576});
    field("columns_bytes", columns_bytes,
          "Room for the model outputs that policies ask for. Above it, the least recently used "
          "ones are removed, and computed again when a policy asks for them again.",
          {.min = 1'048'576});
    field("predictors", predictors,
          "Processes that predict for `tidemill predict` and other callers. Each keeps one model "
          "loaded. When another model is needed, the least recently used one makes room.",
          {.min = 1, .max = 64});
    field("endpoint", endpoint,
          "Where the supervisor reaches this evaluator, if that is not the address that it serves "
          "at: unix:/path or host:port.");
  }
};

}  // namespace tidemill::evaluator

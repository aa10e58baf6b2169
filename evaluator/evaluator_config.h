// The `evaluator` section of the system configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"

namespace tidemill::evaluator {

struct EvaluatorConfig {
  int jobs = 1;
  std::optional<int> gpu_slots = std::nullopt;
  config::DeviceChoice answers_device = config::kCpuDevice;
  std::optional<int> threads;
  config::ByteSize model_memory{int64_t{1} << 30};
  config::ByteSize columns_bytes{int64_t{1} << 30};
  int predictors = 2;
  std::string endpoint = {};

  void Fields(auto&& field) {
    field("jobs", jobs,
          "Evaluations on processors that run at the same time, each in its own process. Others "
          "wait. The same number of jobs that compute columns for policies may run besides them.",
          {.min = 1, .max = 64});
    field("gpu_slots", gpu_slots,
          "GPUs on which evaluations run, the first ones of the machine, each one evaluation at a "
          "time. By default all. 0: none. A GPU that a training on this machine has is waited for.",
          {.min = 0, .max = 256});
    field(
        "answers_device", answers_device,
        "Where models answer what policies ask of them (embeddings, predictions, errors) and what "
        "`tidemill predict` asks. On a GPU, such a job has it for itself: that of a policy until "
        "it ends, that of `tidemill predict` until it has been idle for ten seconds. `auto` is a "
        "GPU if there is one.");
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

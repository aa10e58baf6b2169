// The `trainer_server` section of the system configuration.
#pragma once

#include <cstdint>
#include <optional>

#include "config/config.h"

namespace tidemill::trainer_server {

struct TrainerConfig {
  int cpu_slots = 1;
  int gpu_slots = 1;
  int fit_slots = 2;
  std::optional<int> loader_threads = std::nullopt;
  config::ByteSize loader_memory{int64_t{1} << 30};

  void Fields(auto&& field) {
    field("cpu_slots", cpu_slots, "Trainings on the CPU that run at the same time. Others wait.",
          {.min = 1, .max = 256});
    field("gpu_slots", gpu_slots, "Trainings on a GPU that run at the same time. Others wait.",
          {.min = 1, .max = 256});
    field("fit_slots", fit_slots, "Fits of graphs that run at the same time. Others wait.",
          {.min = 1, .max = 256});
    field(
        "loader_threads", loader_threads,
        "Threads that prepare samples in the process of a training or a fit. By default, the "
        "trainings that run at the same time share the cores of the machine, and each has at "
        "least two; threads are added while a training waits for samples and processors are free. "
        "A number here is fixed. Weights do not depend on it.",
        {.min = 1, .max = 1024});
    field("loader_memory", loader_memory,
          "Bytes of prepared samples that all trainings that run at the same time may keep in "
          "advance, together.",
          {.min = 1'048'576});
  }
};

}  // namespace tidemill::trainer_server

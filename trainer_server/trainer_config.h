// The `trainer_server` section of the system configuration.
#pragma once

#include "base/config.h"

namespace tidemill::trainer_server {

struct TrainerConfig {
  int cpu_slots = 1;
  int gpu_slots = 1;
  int fit_slots = 2;

  void Fields(auto&& field) {
    field("cpu_slots", cpu_slots, "Trainings on the CPU that run at once; others wait.",
          {.min = 1, .max = 256});
    field("gpu_slots", gpu_slots, "Trainings on a GPU that run at once; others wait.",
          {.min = 1, .max = 256});
    field("fit_slots", fit_slots, "Fits of graphs that run at once; others wait.",
          {.min = 1, .max = 256});
  }
};

}  // namespace tidemill::trainer_server

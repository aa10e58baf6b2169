// The optimiser of some of a network's parameters, and its schedule.
#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "models/training/optimizers/optimizer_spec.h"
#include "models/training/schedules/schedule_spec.h"

namespace tidemill::models {

struct ModuleOptimizer {
  std::string modules = "*";
  OptimizerSpec optimizer = DefaultOptimizer();
  std::optional<ScheduleSpec> schedule = std::nullopt;

  void Fields(auto&& field) {
    field("modules", modules,
          "Which parameters: a pattern with * and ? for their names, such as `embedding*`.",
          {.min = 1, .required = true, .example = "\"embedding*\""});
    field("optimizer", optimizer, "Their optimiser.", {.required = true});
    field("schedule", schedule,
          "How their learning rate changes. By default as `training.schedule` says.");
  }
  friend bool operator==(const ModuleOptimizer&, const ModuleOptimizer&) = default;
};

}  // namespace tidemill::models

// Triggers: their decision points, their inputs, their observations and their verdicts.
#pragma once

#include <memory>

#include "plugin/host/calls/instance.h"
#include "plugin/host/calls/kind.h"
#include "plugin/host/calls/memory.h"

namespace tidemill::plugin::host {

absl::Status CheckTrigger(const void* functions);
std::unique_ptr<Kind> MakeTrigger(const void* functions, Instance& instance,
                                  const Memories& memories);

}  // namespace tidemill::plugin::host

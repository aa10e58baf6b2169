// Triggers: where they decide, what they look at, what they observe and how they judge it.
#pragma once

#include <memory>

#include "plugin/host/kind.h"

namespace tidemill::plugin::host {

absl::Status CheckTrigger(const void* functions);
std::unique_ptr<Kind> MakeTrigger(const void* functions, Instance& instance,
                                  const Memories& memories);

}  // namespace tidemill::plugin::host

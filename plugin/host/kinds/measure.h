// Measures: the contributions of samples, and the values of their sums.
#pragma once

#include <memory>

#include "plugin/host/calls/instance.h"
#include "plugin/host/calls/kind.h"
#include "plugin/host/calls/memory.h"

namespace tidemill::plugin::host {

absl::Status CheckMeasure(const void* functions);
std::unique_ptr<Kind> MakeMeasure(const void* functions, Instance& instance,
                                  const Memories& memories);

}  // namespace tidemill::plugin::host

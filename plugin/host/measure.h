// Measures: sums of blocks, and what follows from them.
#pragma once

#include <memory>

#include "plugin/host/kind.h"

namespace tidemill::plugin::host {

absl::Status CheckMeasure(const void* functions);
std::unique_ptr<Kind> MakeMeasure(const void* functions, Instance& instance,
                                  const Memories& memories);

}  // namespace tidemill::plugin::host

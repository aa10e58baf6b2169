// Measures: what samples contribute, and the values of its sums.
#pragma once

#include <memory>

#include "plugin/host/kind.h"

namespace tidemill::plugin::host {

absl::Status CheckMeasure(const void* functions);
std::unique_ptr<Kind> MakeMeasure(const void* functions, Instance& instance,
                                  const Memories& memories);

}  // namespace tidemill::plugin::host

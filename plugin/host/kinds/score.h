// Scores of downsampling: a number for each row of a block.
#pragma once

#include <memory>

#include "plugin/host/calls/instance.h"
#include "plugin/host/calls/kind.h"
#include "plugin/host/calls/memory.h"

namespace tidemill::plugin::host {

absl::Status CheckScore(const void* functions);
std::unique_ptr<Kind> MakeScore(const void* functions, Instance& instance,
                                const Memories& memories);

}  // namespace tidemill::plugin::host

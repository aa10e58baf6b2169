// Formats: the records in pieces of a file.
#pragma once

#include <memory>

#include "plugin/host/calls/instance.h"
#include "plugin/host/calls/kind.h"
#include "plugin/host/calls/memory.h"

namespace tidemill::plugin::host {

absl::Status CheckFormat(const void* functions);
std::unique_ptr<Kind> MakeFormat(const void* functions, Instance& instance,
                                 const Memories& memories);

}  // namespace tidemill::plugin::host

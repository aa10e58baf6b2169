// Ops: the columns that they make, the state that they learn, and the blocks of rows that they
// make.
#pragma once

#include <memory>

#include "plugin/host/calls/instance.h"
#include "plugin/host/calls/kind.h"
#include "plugin/host/calls/memory.h"

namespace tidemill::plugin::host {

absl::Status CheckOp(const void* functions);
std::unique_ptr<Kind> MakeOp(const void* functions, Instance& instance, const Memories& memories);

}  // namespace tidemill::plugin::host

// Checks commands.
#pragma once

#include "base/status.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::rpc {

// Call it in every method with a command that callers other than services may call.
// INVALID_ARGUMENT when the command names a run: its epoch would fence off the conductor of that
// run, which only services may do.
absl::Status CheckNamesNoRun(const v1::Command& command);

}  // namespace tidemill::rpc

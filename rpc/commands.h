// What a command may say.
#pragma once

#include "base/status.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::rpc {

// For every method with a command that others than services may call. INVALID_ARGUMENT for a
// command on behalf of a run: its epoch would fence off who conducts that run, which no person
// does.
absl::Status CheckNamesNoRun(const v1::Command& command);

}  // namespace tidemill::rpc

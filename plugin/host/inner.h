// The inner process of a host, in which the plug-in runs.
#pragma once

#include "plugin/host/options.h"

namespace tidemill::plugin::host {

// Drops the rights that a plug-in must not have, and serves the protocol until the owner is gone,
// or executes the Python interpreter that serves it. Returns kCannotRun when that fails.
int RunInner(const Options& options);

}  // namespace tidemill::plugin::host

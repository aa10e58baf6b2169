// The inner process of a host, in which the plug-in runs.
#pragma once

#include "plugin/host/options.h"

namespace tidemill::plugin::host {

// Gives up what a plug-in must not have, and serves the protocol until the owner is gone, or
// becomes the Python that does. kCannotRun where that fails.
int RunInner(const Options& options);

}  // namespace tidemill::plugin::host

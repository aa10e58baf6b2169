// The outer process of a host: it starts the inner process, which runs the plug-in, and ends it
// when the owner ends.
#pragma once

#include "plugin/host/options.h"

namespace tidemill::plugin::host {

// Ends as the inner process does: with its code, or with 128 and its signal. kCannotRun when it
// could not be started.
int RunWarden(const Options& options);

}  // namespace tidemill::plugin::host

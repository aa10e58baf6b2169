// The keeper of a local stack: parent of its services.
#pragma once

#include "cli/stack/local_stack.h"

namespace tidemill::cli {

// Runs the keeper process, which starts all services and restarts a service that dies. Ends on
// SIGTERM, and when its state folder is gone. Also ends when its stdin is a pipe that ends without
// a byte, because the process that started it has died before the stack was up. Returns the exit
// status.
int KeepStack(const StackLayout& layout);

}  // namespace tidemill::cli

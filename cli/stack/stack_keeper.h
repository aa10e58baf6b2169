// The keeper of a local stack: parent of its services.
#pragma once

#include "cli/stack/local_stack.h"

namespace tidemill::cli {

// The body of the keeper process: starts everything, restarts what dies. Ends on SIGTERM, when its
// state folder is gone, and when its stdin is a pipe that ends without a byte: who started it is
// gone before the stack was up. Returns the exit status.
int KeepStack(const StackLayout& layout);

}  // namespace tidemill::cli

// The command `tidemill runs list`.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

// Adds `list` below `runs`.
void AddRunListCommand(Command& runs);

}  // namespace tidemill::cli

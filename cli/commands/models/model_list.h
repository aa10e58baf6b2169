// The command `tidemill models list`.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

// Adds `list` below `models`.
void AddModelListCommand(Command& models);

}  // namespace tidemill::cli

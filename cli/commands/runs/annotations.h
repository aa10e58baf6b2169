// The commands that tag runs and add notes to them.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

// Adds `tag`, `untag` and `note` below `runs`.
void AddAnnotationCommands(Command& runs);

}  // namespace tidemill::cli

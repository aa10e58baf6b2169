// The command `tidemill sweep`.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

// tidemill sweep FILE --set KEY=VALUE,VALUE...
void AddSweepCommand(Command& app);

}  // namespace tidemill::cli

// tidemill check FILE...
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddCheckCommand(Command& app);

}  // namespace tidemill::cli

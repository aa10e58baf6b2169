// tidemill watch RUN
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddWatchCommand(Command& app);

}  // namespace tidemill::cli

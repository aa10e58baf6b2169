// tidemill runs list|show|diff|watch|stop|resume|delete
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddRunsCommands(Command& app);

}  // namespace tidemill::cli

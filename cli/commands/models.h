// tidemill models list|show|export
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddModelsCommands(Command& app);

}  // namespace tidemill::cli

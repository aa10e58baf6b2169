// tidemill pipelines list|show|delete
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddPipelinesCommands(Command& app);

}  // namespace tidemill::cli

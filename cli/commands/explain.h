// tidemill explain [KEY]
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddExplainCommand(Command& app);

}  // namespace tidemill::cli

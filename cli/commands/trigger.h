// tidemill trigger RUN
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddTriggerCommand(Command& app);

}  // namespace tidemill::cli

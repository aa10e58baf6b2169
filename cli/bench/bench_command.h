// tidemill bench list | fetch | run | report
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddBenchCommands(Command& app);

}  // namespace tidemill::cli

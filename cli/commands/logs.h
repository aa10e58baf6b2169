// tidemill logs [SERVICE]
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddLogsCommand(Command& app);

}  // namespace tidemill::cli

// tidemill pull RUN, tidemill report RUN
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddReportCommands(Command& app);

}  // namespace tidemill::cli

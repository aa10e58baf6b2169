// tidemill compare RUN RUN...
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddCompareCommand(Command& app);

}  // namespace tidemill::cli

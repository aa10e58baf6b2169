// tidemill run FILE
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddRunCommand(Command& app);

}  // namespace tidemill::cli

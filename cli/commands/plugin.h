// tidemill plugin new|list|show|verify: plug-ins of users.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddPluginCommands(Command& app);

}  // namespace tidemill::cli

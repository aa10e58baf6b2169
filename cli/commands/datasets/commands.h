// Commands on datasets and their samples.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

// tidemill datasets list|show|register|sync|quarantine|delete|check|stats|records
void AddDatasetsCommands(Command& app);

}  // namespace tidemill::cli

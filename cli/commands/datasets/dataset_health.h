// tidemill datasets check|stats
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddDatasetHealthCommands(Command& datasets);

}  // namespace tidemill::cli

// Commands on stored models.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

// tidemill models list|use|rollback|changes|show|export
void AddModelsCommands(Command& app);
// tidemill predict
void AddPredictCommand(Command& app);

}  // namespace tidemill::cli

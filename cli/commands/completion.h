// tidemill completion, man, and __complete, which the completion scripts ask for names.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddCompletionCommands(Command& app);

}  // namespace tidemill::cli

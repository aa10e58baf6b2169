// tidemill completion, man, and __complete, which the completion scripts ask for names.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

// `app` is the whole command line, from which scripts and pages are made. It must outlive the
// actions.
void AddCompletionCommands(Command& app);

}  // namespace tidemill::cli

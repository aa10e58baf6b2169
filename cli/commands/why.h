// tidemill why RUN[/TRIGGER]
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddWhyCommand(Command& app);

}  // namespace tidemill::cli

// tidemill up, down, status, keep-stack
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddStackCommands(Command& app);

}  // namespace tidemill::cli

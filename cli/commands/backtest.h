// tidemill backtest PIPELINE
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddBacktestCommand(Command& app);

}  // namespace tidemill::cli

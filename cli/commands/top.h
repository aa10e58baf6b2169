// tidemill top [RUN]
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddTopCommand(Command& app);

}  // namespace tidemill::cli

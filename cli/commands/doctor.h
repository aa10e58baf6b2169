// tidemill doctor
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddDoctorCommand(Command& app);

}  // namespace tidemill::cli

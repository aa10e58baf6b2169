// Commands on the stack of this machine, and on the command line itself.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

// tidemill up, down, status, keep-stack
void AddStackCommands(Command& app);

// tidemill logs [SERVICE]
void AddLogsCommand(Command& app);

// tidemill doctor
void AddDoctorCommand(Command& app);

// tidemill trainers list, drain
void AddTrainersCommands(Command& app);

// tidemill workers list
void AddWorkersCommands(Command& app);

// tidemill completion, man, and __complete, which the completion scripts ask for names.
// `app` is the whole command line, from which scripts and pages are made. It must outlive the
// actions.
void AddCompletionCommands(Command& app);

}  // namespace tidemill::cli

// How commands that delete make sure that it is wanted.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line/action.h"
#include "cli/terminal/exit_codes.h"

namespace tidemill::cli {

struct DeletionFlags {
  bool yes = false;
  bool dry_run = false;
};

// Adds --yes and --dry-run to a command that deletes.
void AddDeletionFlags(Command& command, DeletionFlags& flags);

// Whether to go on and delete `what`, "run 3 of weather with 12 models". With --dry-run tells what
// would go. At a terminal, which is where stdin, stdout and stderr all are one, asks unless --yes
// was given; elsewhere nobody can answer, and a command means what it says. Returns the exit code
// to end with where nothing is to be deleted.
std::optional<ExitCode> SettleDeletion(const GlobalFlags& global, const DeletionFlags& flags,
                                       const std::string& what);

}  // namespace tidemill::cli

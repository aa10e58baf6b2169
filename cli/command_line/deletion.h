// How commands that delete ask for confirmation.
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

// Decides whether to delete `what`, such as "run 3 of weather with 12 models". With --dry-run, it
// only says what would be deleted. At a terminal, it asks unless --yes was given. A terminal means
// that stdin, stdout and stderr all are one. Elsewhere a question cannot be answered, and the
// command is carried out. Returns the exit code when nothing must be deleted.
std::optional<ExitCode> SettleDeletion(const GlobalFlags& global, const DeletionFlags& flags,
                                       const std::string& what);

}  // namespace tidemill::cli

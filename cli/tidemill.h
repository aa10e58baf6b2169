// The `tidemill` command: one tree of subcommands. Help, completion, manual pages and the reference
// are made from it (command_line/command_tree.h).
#pragma once

#include <memory>

#include "cli/command_line/command.h"

namespace tidemill::cli {

// Returns the whole tree.
std::unique_ptr<Command> MakeCommandLine();

// Parses and runs a command line. Returns the exit code.
int RunCommandLine(int argc, char** argv);

}  // namespace tidemill::cli

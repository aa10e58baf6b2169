// The `tidemill` command: one tree of subcommands from which help, completion, manual pages and the
// reference come (command_line/command_tree.h).
#pragma once

#include <memory>

#include "cli/command_line/command.h"

namespace tidemill::cli {

// The whole tree.
std::unique_ptr<Command> MakeCommandLine();

// Parses and runs; returns the exit code.
int RunCommandLine(int argc, char** argv);

}  // namespace tidemill::cli

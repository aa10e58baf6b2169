// The `tidemill` command: one tree of subcommands from which help, completion, manual pages and the
// reference come (command_tree.h).
#pragma once

#include <functional>
#include <memory>

#include "cli/command.h"
#include "cli/session.h"

namespace tidemill::cli {

// Flags that every subcommand takes.
struct GlobalFlags : StackAddress {
  bool json = false;  // --json
  bool quiet = false;
};

// What a subcommand does once parsed; returns the process's exit code.
using Action = std::function<int(const GlobalFlags&)>;

// Adds the flags of GlobalFlags to a leaf command and arranges for `action` to run when it is the
// one that was given.
void SetAction(Command& command, Action action);

// Adds --full to a command that prints the result of a run.
void AddFullFlag(Command& command, bool& full);

// Each adds its commands to the tree; one function a file in commands/.
void AddRunCommand(Command& app);
void AddCheckCommand(Command& app);
void AddExplainCommand(Command& app);
void AddStackCommands(Command& app);
void AddDatasetsCommands(Command& app);
void AddDatasetHealthCommands(Command& datasets);  // Below `datasets`.
void AddPipelinesCommands(Command& app);
void AddRunsCommands(Command& app);
void AddModelsCommands(Command& app);
void AddReportCommands(Command& app);
void AddWatchCommand(Command& app);
void AddWhyCommand(Command& app);
void AddTriggerCommand(Command& app);
void AddBacktestCommand(Command& app);
void AddCompareCommand(Command& app);
void AddLogsCommand(Command& app);
void AddDoctorCommand(Command& app);
void AddTopCommand(Command& app);
void AddCompletionCommands(Command& app);

// The whole tree.
std::unique_ptr<Command> MakeCommandLine();

// Parses and runs; returns the exit code.
int RunCommandLine(int argc, char** argv);

}  // namespace tidemill::cli

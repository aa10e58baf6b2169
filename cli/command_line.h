// The `tidemill` command: one tree of subcommands from which help, completion, manual pages and the
// reference come (command_tree.h).
#pragma once

#include <memory>
#include <string>

#include "CLI/CLI.hpp"
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
void SetAction(CLI::App& command, Action action);

// Adds --full to a command that prints the result of a run.
void AddFullFlag(CLI::App& command, bool& full);

// Each adds its commands to the tree; one function a file in commands/.
void AddRunCommand(CLI::App& app);
void AddCheckCommand(CLI::App& app);
void AddExplainCommand(CLI::App& app);
void AddStackCommands(CLI::App& app);
void AddDatasetsCommands(CLI::App& app);
void AddDatasetHealthCommands(CLI::App& datasets);  // Below `datasets`.
void AddPipelinesCommands(CLI::App& app);
void AddRunsCommands(CLI::App& app);
void AddModelsCommands(CLI::App& app);
void AddReportCommands(CLI::App& app);
void AddWatchCommand(CLI::App& app);
void AddWhyCommand(CLI::App& app);
void AddTriggerCommand(CLI::App& app);
void AddBacktestCommand(CLI::App& app);
void AddCompareCommand(CLI::App& app);
void AddLogsCommand(CLI::App& app);
void AddDoctorCommand(CLI::App& app);
void AddTopCommand(CLI::App& app);
void AddCompletionCommands(CLI::App& app);

// The whole tree.
std::unique_ptr<CLI::App> MakeCommandLine();

// Parses and runs; returns the exit code.
int RunCommandLine(int argc, char** argv);

}  // namespace tidemill::cli

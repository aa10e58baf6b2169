// The `tidemill` command: one tree of subcommands from which help, and later completion and manual
// pages, come.
#pragma once

#include <memory>
#include <string>

#include "CLI/CLI.hpp"

namespace tidemill::cli {

// Flags that every subcommand takes.
struct GlobalFlags {
  std::string state;  // --state FOLDER
  bool json = false;  // --json
  bool quiet = false;
};

// What a subcommand does once parsed; returns the process's exit code.
using Action = std::function<int(const GlobalFlags&)>;

// Adds --state, --json and --quiet to a leaf command and arranges for `action` to run when it is
// the one that was given.
void SetAction(CLI::App& command, Action action);

// Each adds its commands to the tree; one function a file in commands/.
void AddRunCommand(CLI::App& app);
void AddCheckCommand(CLI::App& app);
void AddExplainCommand(CLI::App& app);
void AddStackCommands(CLI::App& app);
void AddDatasetsCommands(CLI::App& app);
void AddPipelinesCommands(CLI::App& app);
void AddRunsCommands(CLI::App& app);
void AddModelsCommands(CLI::App& app);

// The whole tree.
std::unique_ptr<CLI::App> MakeCommandLine();

// Parses and runs; returns the exit code.
int RunCommandLine(int argc, char** argv);

// The command tree as Markdown, for docs/reference/.
std::string CommandReference();

}  // namespace tidemill::cli

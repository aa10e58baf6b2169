// The result of parsing a command line: the command, and the flags that every command takes.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "cli/command_line/command.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

// Flags that every command takes.
struct GlobalFlags : StackAddress {
  bool json = false;  // --json
};

// Runs a command. Returns the process's exit code.
using Action = std::function<int(const GlobalFlags&)>;

// Sets the action of the command, and adds the flags that every command takes.
void SetAction(Command& command, Action action);

// Takes the values of those flags that say where the stack is.
void SetStackFlags(const std::map<std::string, std::string>& values, StackAddress& stack);

// Adds --full: nothing of a result is left out.
void AddFullFlag(Command& command, bool& full);

// Runs the command that was parsed last.
int RunChosenAction();

}  // namespace tidemill::cli

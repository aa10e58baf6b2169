// Programs that the warden runs, and their output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill::plugin::host {

struct Program {
  std::string path = {};
  // Without the program's name.
  std::vector<std::string> arguments = {};
  // "NAME=value".
  std::vector<std::string> environment = {};
};

// Returns the whole environment of a plug-in, whose arithmetic has this many threads. It contains
// nothing of the owner's environment, which may hold secrets.
std::vector<std::string> PluginEnvironment(int num_threads);

// Executes the program in place of this process; returns only on failure.
void Execute(const Program& program);

// Runs a program to its end, without the descriptors of a host, and returns its output. Fails when
// the program fails.
absl::StatusOr<std::string> OutputOf(const Program& program);

// Returns the path of a program, found by the PATH of this process; a name with a slash is a path.
// NOT_FOUND when there is none.
absl::StatusOr<std::string> FindProgram(const std::string& name);

// The whole environment of this process.
std::vector<std::string> OwnEnvironment();

}  // namespace tidemill::plugin::host

// Programs that the warden runs, and what they say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill::plugin::host {

struct Program {
  std::string path = {};
  // Behind the program's name.
  std::vector<std::string> arguments = {};
  // "NAME=value".
  std::vector<std::string> environment = {};
};

// All of the environment that a plug-in has: nothing of the owner's, which may hold secrets.
std::vector<std::string> PluginEnvironment();

// Becomes the program; returns only when that fails.
void Execute(const Program& program);

// Runs a program to its end, without the descriptors of a host, and returns what it prints. Fails
// as the program does.
absl::StatusOr<std::string> OutputOf(const Program& program);

// Where a program lies by the PATH of this process; one with a slash lies there. NOT_FOUND.
absl::StatusOr<std::string> FindProgram(const std::string& name);

// The whole environment of this process.
std::vector<std::string> OwnEnvironment();

}  // namespace tidemill::plugin::host

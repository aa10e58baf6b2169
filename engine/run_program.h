// Runs a program of the engine, such as squeue, to its end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::engine {

struct ProgramOptions {
  // What it reads from its standard input.
  std::string input = {};
  // When it takes longer, it is killed, with the processes of its group.
  std::chrono::milliseconds timeout{30'000};
  // Variables, NAME=VALUE, that it gets on top of those of this process.
  std::vector<std::string> variables = {};
};

// Runs `arguments`, whose first one is looked up in PATH, and returns what it wrote to its standard
// output. NOT_FOUND when there is no such program. UNAVAILABLE when it ends with another code than
// 0, by a signal, or not in time, with its name and the first lines of its standard error. Output
// beyond 16 MiB is an error, RESOURCE_EXHAUSTED. Blocks; thread-safe.
absl::StatusOr<std::string> RunProgram(const std::vector<std::string>& arguments,
                                       const ProgramOptions& options = {});

}  // namespace tidemill::engine

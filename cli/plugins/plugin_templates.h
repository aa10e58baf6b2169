// The files that `tidemill plugin new` writes.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::cli {

struct NewPlugin {
  // "trigger".
  std::string kind = {};
  // The name of its files: "weekly_rise".
  std::string name = {};
  // "python" or "c++".
  std::string language = "python";

  // Returns the name of its class: "WeeklyRise".
  std::string ClassName() const;
  // Returns its name in commands and pipelines: "weekly_rise.py:WeeklyRise".
  std::string Use() const;
};

// Writes the files of a new plug-in from templates into the current folder, and returns their
// names. ALREADY_EXISTS when one of the files exists; INVALID_ARGUMENT for an invalid name, kind or
// language.
absl::StatusOr<std::vector<std::string>> WritePlugin(const NewPlugin& plugin);

// Returns the command that compiles a C++ plug-in: "g++ -std=c++20 ...".
std::string CompileCommand(const std::string& name);
// The command that compiles and runs the test of a plug-in in C++.
std::string TestCommand(const std::string& name);

}  // namespace tidemill::cli

// The files that `tidemill plugin new` writes.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::cli {

struct NewPlugin {
  // "trigger".
  std::string kind = {};
  // "weekly_rise": of its files.
  std::string name = {};
  // "python" or "c++".
  std::string language = "python";

  // "WeeklyRise": of its class.
  std::string ClassName() const;
  // As commands and pipelines name it: "weekly_rise.py:WeeklyRise".
  std::string Use() const;
};

// Writes the files of a new plug-in from templates into the current folder, and returns their
// names. ALREADY_EXISTS when one is there; INVALID_ARGUMENT for a name, kind or language that
// cannot be.
absl::StatusOr<std::vector<std::string>> WritePlugin(const NewPlugin& plugin);

// How a C++ plug-in is compiled: "g++ -std=c++20 ...".
std::string CompileCommand(const std::string& name);

}  // namespace tidemill::cli

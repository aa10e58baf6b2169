// The Python interpreter that runs plug-ins.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "plugin/host/options.h"
#include "plugin/host/program.h"

namespace tidemill::plugin::host {

struct Python {
  // The path of the interpreter; `--python` may be a script that finds one.
  std::string executable = {};
  // All folders from which it may load modules.
  std::vector<std::string> folders = {};
};

// Asks the interpreter for them. NOT_FOUND or FAILED_PRECONDITION when it does not work.
absl::StatusOr<Python> AskPython(const std::string& name);

// Returns the program that an inner process for Python executes.
Program PythonHost(const Options& options);

}  // namespace tidemill::plugin::host

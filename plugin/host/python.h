// The Python that runs plug-ins.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "plugin/host/options.h"
#include "plugin/host/program.h"

namespace tidemill::plugin::host {

struct Python {
  // The interpreter itself, where `--python` may be a script that finds one.
  std::string executable = {};
  // All that it may load modules from.
  std::vector<std::string> folders = {};
};

// Asks the interpreter itself. NOT_FOUND or FAILED_PRECONDITION where it does not work.
absl::StatusOr<Python> AskPython(const std::string& name);

// What an inner process for Python becomes.
Program PythonHost(const Options& options);

}  // namespace tidemill::plugin::host

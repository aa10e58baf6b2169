#include "plugin/host/python.h"

#include <filesystem>
#include <sstream>

namespace tidemill::plugin::host {
namespace {

// Prints the interpreter, then its existing folders.
constexpr char kQuestion[] = R"(
import os, sys
real = os.path.dirname(os.path.realpath(sys.executable))
names = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, real, *sys.path]
print(sys.executable)
print("\n".join(dict.fromkeys(os.path.abspath(name) for name in names if os.path.isdir(name))))
)";

}  // namespace

absl::StatusOr<Python> AskPython(const std::string& name) {
  ASSIGN_OR_RETURN(const std::string path, FindProgram(name));
  // Not the plug-in's: with the owner's environment, in which the system's Python is found.
  const Program question{
      .path = path, .arguments = {"-I", "-c", kQuestion}, .environment = OwnEnvironment()};
  ASSIGN_OR_RETURN(const std::string said, OutputOf(question));
  std::istringstream lines(said);
  Python python;
  std::getline(lines, python.executable);
  for (std::string folder; std::getline(lines, folder);) python.folders.push_back(folder);
  if (python.executable.empty()) return FailedPrecondition("{} does not say where it is", path);
  return python;
}

Program PythonHost(const Options& options) {
  Program program{.path = options.python,
                  .arguments = {"-I", "-B", options.modules + "/tidemill/plugin_host.py"},
                  .environment = PluginEnvironment(options.num_threads)};
  program.environment.push_back("TIDEMILL_PLUGIN_SANDBOX=" + options.inside);
  return program;
}

}  // namespace tidemill::plugin::host

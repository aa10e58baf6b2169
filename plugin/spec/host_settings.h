// How hosts of plug-ins are started on this machine.
#pragma once

#include <string>

#include "config/config.h"

namespace tidemill::plugin {

// Settings of the system. Jobs learn of them by the environment of the service that starts them.
struct HostSettings {
  // The program that runs plug-ins in Python.
  std::string python = "python3";
  // "auto": bubblewrap where it works, else a plain process with limits. "bwrap" or "none".
  std::string sandbox = "auto";

  void Fields(auto&& field) {
    field("python", python,
          "The Python that runs plug-ins: a program on PATH, or its path. It needs numpy.",
          {.example = "/opt/venv/bin/python3"});
    field(
        "sandbox", sandbox,
        "auto: plug-ins run in bubblewrap where it works, else in a plain process with limits, "
        "which can read the files of this user. bwrap: a plug-in that cannot run in bubblewrap is "
        "refused. none: they run in plain processes.");
  }
  void Check(config::Problems& problems) const;

  // From TIDEMILL_PLUGIN_PYTHON and TIDEMILL_PLUGIN_SANDBOX, where they are set; else as `others`.
  static HostSettings OfThisProcess(HostSettings others);
  static HostSettings OfThisProcess();

  // Sets these variables for this process and for those that it starts. Not thread-safe.
  void PutIntoEnvironment() const;
};

}  // namespace tidemill::plugin

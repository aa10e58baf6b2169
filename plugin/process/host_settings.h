// How hosts of plug-ins are started on this machine.
#pragma once

#include <string>

namespace tidemill::plugin {

// Settings of the system, of which jobs learn by the environment of the service that starts them.
struct HostSettings {
  // The program that runs plug-ins in Python.
  std::string python = "python3";
  // "auto": bubblewrap where it works, else a plain process with limits. "bwrap" or "none".
  std::string sandbox = "auto";

  // From TIDEMILL_PLUGIN_PYTHON and TIDEMILL_PLUGIN_SANDBOX, where they are set.
  static HostSettings OfThisProcess();
};

}  // namespace tidemill::plugin

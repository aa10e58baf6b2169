// How hosts of plug-ins are started on this machine.
#pragma once

#include <string>

#include "config/config.h"

namespace tidemill::plugin {

// Settings of the system. A job gets them through the environment of the service that starts it.
struct HostSettings {
  // The program that runs plug-ins in Python.
  std::string python = "python3";
  // "auto": bubblewrap if it works, else Landlock; if neither works, plug-ins do not run. "bwrap",
  // "landlock" or "none".
  std::string sandbox = "auto";
  // The most memory that a pipeline may request.
  config::ByteSize memory = {int64_t{16} << 30};

  void Fields(auto&& field) {
    field("python", python,
          "The Python that runs plug-ins: a program on PATH, or its path. It needs numpy.",
          {.example = "/opt/venv/bin/python3"});
    field(
        "sandbox", sandbox,
        "Where code of users runs. auto: in bubblewrap where it works, else in Landlock; where "
        "neither works it is refused. bwrap, landlock: there and nowhere else. none: plug-ins run "
        "in plain processes with limits, which can read the files of this user; programs of the "
        "op torchscript and networks from files run without Landlock.");
    field("memory", memory, "The most that a pipeline may ask for as the memory of a plug-in.",
          {.min = 64 << 20});
  }
  void Check(config::Problems& problems) const;

  // Reads TIDEMILL_PLUGIN_PYTHON, TIDEMILL_PLUGIN_SANDBOX and TIDEMILL_PLUGIN_MEMORY (in bytes).
  // Unset variables have the values of `others`.
  static HostSettings OfThisProcess(HostSettings others);
  static HostSettings OfThisProcess();

  // Sets these variables for this process and for those that it starts. Not thread-safe.
  void PutIntoEnvironment() const;
};

}  // namespace tidemill::plugin

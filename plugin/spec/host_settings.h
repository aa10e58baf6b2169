// How hosts of plug-ins are started on this machine.
#pragma once

#include <string>

#include "config/config.h"

namespace tidemill::plugin {

// Settings of the system. Jobs learn of them by the environment of the service that starts them.
struct HostSettings {
  // The program that runs plug-ins in Python.
  std::string python = "python3";
  // "auto": bubblewrap where it works, else Landlock, else nothing runs. "bwrap", "landlock" or
  // "none".
  std::string sandbox = "auto";
  // What a pipeline may ask for at most.
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

  // From TIDEMILL_PLUGIN_PYTHON, TIDEMILL_PLUGIN_SANDBOX and TIDEMILL_PLUGIN_MEMORY (in bytes),
  // where they are set; else as `others`.
  static HostSettings OfThisProcess(HostSettings others);
  static HostSettings OfThisProcess();

  // Sets these variables for this process and for those that it starts. Not thread-safe.
  void PutIntoEnvironment() const;
};

}  // namespace tidemill::plugin

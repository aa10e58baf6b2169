// What plug-ins say of themselves.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/process/host_process.h"
#include "plugin/spec/declared_settings.h"
#include "plugin/spec/host_settings.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::plugin {

struct Description {
  // "trigger", "selection", "score", "op", "measure", "format".
  std::string kind = {};
  std::string name = {};
  std::string doc = {};
  // The author's; may be empty.
  std::string version = {};
  std::vector<DeclaredSetting> settings = {};
  // Of the interpreter and its libraries, by name.
  nlohmann::json versions = {};
  // "bwrap", "landlock", or "plain": a process with limits, which can read the files of this user.
  std::string sandbox = {};
  // Why it cannot run; empty where it can.
  std::string problem = {};
};

// Starts a host with the file that `use` holds. FAILED_PRECONDITION when it holds none; else as
// HostProcess::Start().
absl::StatusOr<std::unique_ptr<HostProcess>> StartHost(const PluginUse& use,
                                                       const HostSettings& settings);

// Has the host load the plug-in that `use` names, which has to be of this kind. Failures are those
// of fault.h.
absl::StatusOr<Description> LoadPlugin(HostProcess& host, const PluginUse& use,
                                       std::string_view kind);

// All plug-ins in the file that `use` holds, whatever plug-in it names, in the order of the file.
absl::StatusOr<std::vector<Description>> ListPlugins(
    const PluginUse& use, const HostSettings& settings = HostSettings::OfThisProcess());

}  // namespace tidemill::plugin

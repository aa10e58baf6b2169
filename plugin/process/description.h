// The descriptions that plug-ins give of themselves.
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
  // The author's version; may be empty.
  std::string version = {};
  std::vector<DeclaredSetting> settings = {};
  // The versions of the interpreter and its libraries, by name.
  nlohmann::json versions = {};
  // "bwrap", "landlock", or "plain": a process with limits, which can read the files of this user.
  std::string sandbox = {};
  // Why it cannot run; empty when it can.
  std::string problem = {};
};

// Starts a host with the file in `use`. FAILED_PRECONDITION when `use` holds no file. Also returns
// the errors of HostProcess::Start().
absl::StatusOr<std::unique_ptr<HostProcess>> StartHost(const PluginUse& use,
                                                       const HostSettings& settings);

// Loads the plug-in that `use` names, which must be of this kind, in the host. Returns the errors
// of fault.h.
absl::StatusOr<Description> LoadPlugin(HostProcess& host, const PluginUse& use,
                                       std::string_view kind);

// Returns all plug-ins in the file of `use`, in the order of the file, whichever plug-in `use`
// names.
absl::StatusOr<std::vector<Description>> ListPlugins(
    const PluginUse& use, const HostSettings& settings = HostSettings::OfThisProcess());

}  // namespace tidemill::plugin

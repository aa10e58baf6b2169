// The shared object with plug-ins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/host/kinds/kinds.h"
#include "plugin/include/tidemill/plugin.h"

namespace tidemill::plugin::host {

// A plug-in that this host can run. It is valid until the process ends.
struct LoadedPlugin {
  TidemillPlugin plugin = {};
  std::vector<TidemillSetting> settings = {};
  const KindEntry* kind = nullptr;
  // In the form of docs/formats/plugin_protocol.md.
  nlohmann::json description = {};
};

// Loads the file at descriptor kFile, and finds a plug-in in it. Messages call the file `file`.
// NOT_FOUND with the known names; INVALID_ARGUMENT for a file that is not a shared object of
// plug-ins, for a plug-in of another kind, and for a plug-in that lacks a function;
// FAILED_PRECONDITION for a version of the contract that this host does not know.
absl::StatusOr<LoadedPlugin> LoadPlugin(const std::string& file, const std::string& name,
                                        const std::string& kind);

// Returns the descriptions of all plug-ins in the file. A plug-in that this host cannot run has a
// `problem`.
absl::StatusOr<nlohmann::json> ListPlugins(const std::string& file);

}  // namespace tidemill::plugin::host

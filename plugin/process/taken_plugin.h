// Prepares a plug-in when its pipeline is submitted: stores the file, and asks the plug-in for its
// description. Both are kept with the pipeline, so that no process is started to explain or check a
// pipeline, and a resumed run uses the plug-in that was submitted.
#pragma once

#include <functional>
#include <string_view>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "config/documents/problems.h"
#include "config/named_files.h"
#include "plugin/spec/host_settings.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::plugin {

// Checks that the answer to `create` is valid for the kind.
using CheckCreated = std::function<absl::Status(const nlohmann::json& created)>;

// Reads the file, unless the use holds it already, starts the plug-in and sets `program`,
// `declared` and `runs_with`. Notes at "use" and "with": a missing file, a plug-in that does not
// start or is of another kind, unknown settings, and the failure of `check`. An empty `check` is
// for kinds whose `create` needs more than settings: `create` is then not called.
void TakePlugin(PluginUse& use, std::string_view kind, config::NamedFiles& files,
                config::Problems& problems, const CheckCreated& check);

// Returns the plug-in's answer to `create` at submission. FAILED_PRECONDITION when the use does not
// hold it.
absl::StatusOr<nlohmann::json> CreatedOf(const PluginUse& use);

// Returns how to start hosts of a submitted plug-in: a plug-in that ran in a sandbox at submission
// must do so again.
HostSettings HostSettingsOf(const PluginUse& use);

}  // namespace tidemill::plugin

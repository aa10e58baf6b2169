// What becomes of a plug-in when its pipeline is submitted: the file is taken in, and the plug-in
// says what it is. Both are kept with the pipeline, so that no process is started to explain or to
// check a pipeline, and a run that is resumed asks the plug-in that was submitted.
#pragma once

#include <functional>
#include <string_view>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "config/named_files.h"
#include "config/problems.h"
#include "plugin/spec/host_settings.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::plugin {

// Whether the answer to `create` makes sense for the kind.
using CheckCreated = std::function<absl::Status(const nlohmann::json& created)>;

// Reads the file, unless the use holds it already, starts the plug-in and sets `program`,
// `declared` and `runs_with`. Notes at "use" and "with": a file that is not there, a plug-in that
// does not start, one of another kind, settings that it does not have, and what `check` says. An
// empty `check` is for kinds whose `create` needs more than settings: it is not asked then.
void TakePlugin(PluginUse& use, std::string_view kind, config::NamedFiles& files,
                config::Problems& problems, const CheckCreated& check);

// What the plug-in answered to `create` at submission. FAILED_PRECONDITION when the use does not
// hold it.
absl::StatusOr<nlohmann::json> CreatedOf(const PluginUse& use);

// How hosts of a plug-in start that was submitted: what ran in a sandbox then does so now.
HostSettings HostSettingsOf(const PluginUse& use);

}  // namespace tidemill::plugin

#include "storage/spec/formats/plugin_format.h"

#include "nlohmann/json.hpp"

#include "plugin/process/taken_plugin.h"

namespace tidemill::storage {

void FileFormatOf<PluginFormat>::TakeFiles(config::NamedFiles& files, config::Problems& problems) {
  plugin::TakePlugin(spec_, kFormatPlugin, files, problems,
                     [](const nlohmann::json& /*created*/) { return absl::OkStatus(); });
}

}  // namespace tidemill::storage

// A plug-in that a command names. Its file may be in any folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/config.h"
#include "config/named_files.h"
#include "plugin/process/description.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::cli {

struct NamedPlugin {
  // "policies/surprise.py:Surprise". Without a name after the colon, the only plug-in of the file.
  std::string use = {};
  // "threshold=0.2".
  std::vector<std::string> with = {};
  // Data files that it reads, as a pipeline beside it names them.
  std::vector<std::string> data = {};
};

// Returns the declarations of all plug-ins of the file. NOT_FOUND without the file; other codes are
// as in plugin::ListPlugins().
absl::StatusOr<std::vector<plugin::Description>> PluginsIn(const std::string& file);

// Returns the declaration of a plug-in of any kind. Sets the name if `named` lacks it. NOT_FOUND
// lists the known names.
absl::StatusOr<plugin::Description> FindPlugin(NamedPlugin& named);

// The plug-in as a pipeline names it. INVALID_ARGUMENT for a setting without a value.
absl::StatusOr<std::string> AsYaml(const NamedPlugin& named);

// The file of a plug-in, in any folder. Thread-compatible.
class PluginFile final : public config::NamedFiles {
 public:
  explicit PluginFile(const NamedPlugin& named);

  std::optional<std::string> Read(const std::string& name, size_t most, std::string_view key,
                                  config::Problems& problems) override;

 private:
  const std::string folder_;
};

// The spec of a part that is this plug-in, with the contents of its file; `type` is "type:
// plugin\n" for a choice of a pipeline. INVALID_ARGUMENT lists all problems.
template <typename Spec, typename Take>
absl::StatusOr<Spec> SpecOf(const NamedPlugin& named, std::string_view type, const Take& take) {
  ASSIGN_OR_RETURN(const std::string text, AsYaml(named));
  auto decoded = config::Decode<Spec>(
      {.text = std::string(type) + text, .name = "the plug-in", .variables = {}});
  PluginFile file(named);
  if (decoded.problems.empty()) take(decoded.value, file, decoded.problems);
  RETURN_IF_ERROR(decoded.problems.ToStatus());
  return std::move(decoded.value);
}

}  // namespace tidemill::cli

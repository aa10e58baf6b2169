#include "cli/plugins/named_plugin.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/escaping.h"
#include "fmt/ranges.h"

#include "base/files.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

// The file and the plug-in in it; without a colon there is no plug-in.
std::pair<std::string, std::string> PartsOf(const std::string& use) {
  const size_t colon = use.rfind(':');
  if (colon == std::string::npos) return {use, ""};
  return {use.substr(0, colon), use.substr(colon + 1)};
}

}  // namespace

absl::StatusOr<std::vector<plugin::Description>> PluginsIn(const std::string& file) {
  plugin::PluginUse use;
  use.use = fs::path(file).filename().string() + ":";
  ASSIGN_OR_RETURN(const std::string bytes, files::Read(file, plugin::kMaxFileBytes));
  use.program = absl::Base64Escape(bytes);
  return plugin::ListPlugins(use);
}

absl::StatusOr<plugin::Description> FindPlugin(NamedPlugin& named) {
  const auto [file, name] = PartsOf(named.use);
  if (file.empty() || file.ends_with(':')) {
    return InvalidArgument(
        "'{}' does not name a file and a plug-in in it; write surprise.py:Surprise", named.use);
  }
  ASSIGN_OR_RETURN(const std::vector<plugin::Description> plugins, PluginsIn(file));
  std::vector<std::string> names;
  for (const plugin::Description& plugin : plugins) names.push_back(plugin.name);
  if (name.empty() && names.size() == 1) named.use = file + ":" + names[0];
  const auto wanted = PartsOf(named.use).second;
  const auto found = std::ranges::find(names, wanted);
  if (found != names.end()) return plugins[static_cast<size_t>(found - names.begin())];
  if (names.empty()) return NotFound("{} has no plug-in", file);
  return NotFound("{}; it has {}",
                  wanted.empty() ? fmt::format("name one of the plug-ins of {}", file)
                                 : fmt::format("{} has no plug-in {}", file, wanted),
                  fmt::join(names, ", "));
}

absl::StatusOr<std::string> AsYaml(const NamedPlugin& named) {
  const auto [file, name] = PartsOf(named.use);
  std::string text = fmt::format("use: \"{}:{}\"\nwith:", fs::path(file).filename().string(), name);
  for (const std::string& setting : named.with) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return InvalidArgument("--with takes NAME=VALUE, not '{}'", setting);
    }
    text += fmt::format("\n  {}: {}", setting.substr(0, equals), setting.substr(equals + 1));
  }
  text += named.with.empty() ? " {}\nfiles:" : "\nfiles:";
  for (const std::string& name_of_data : named.data)
    text += fmt::format("\n  - \"{}\"", name_of_data);
  return text + (named.data.empty() ? " []\n" : "\n");
}

PluginFile::PluginFile(const NamedPlugin& named)
    : folder_(fs::absolute(PartsOf(named.use).first).parent_path().string()) {}

std::optional<std::string> PluginFile::Read(const std::string& name, size_t most,
                                            std::string_view key, config::Problems& problems) {
  auto bytes = files::Read(files::Join(folder_, name), most);
  if (bytes.ok()) return *std::move(bytes);
  problems.Add(key, std::string(bytes.status().message()), "name an existing file");
  return std::nullopt;
}

}  // namespace tidemill::cli

#include "plugin/host/plugin_file.h"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

#include "fmt/ranges.h"

#include "plugin/host/calls/contract.h"
#include "plugin/host/calls/guard.h"
#include "plugin/host/options.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;
using ListFunction = const TidemillPlugin* (*)(uint32_t);

// More would be a list without an end.
constexpr uint32_t kMaxPlugins = 1000;

std::string Text(const char* text) { return text != nullptr ? text : ""; }

absl::StatusOr<ListFunction> Open(const std::string& file) {
  const std::string path = fmt::format("/proc/self/fd/{}", kFile);
  void* handle = nullptr;
  RETURN_IF_ERROR(Guard([&] { handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }));
  if (handle == nullptr) {
    std::string reason = Text(dlerror());
    if (reason.starts_with(path)) reason.replace(0, path.size(), file);
    return InvalidArgument("cannot load {}", reason);
  }
  void* const function = dlsym(handle, "tidemill_plugin");
  if (function != nullptr) return reinterpret_cast<ListFunction>(function);
  return InvalidArgument(
      "{} has no function tidemill_plugin; end the source with TIDEMILL_PLUGIN(...)", file);
}

absl::StatusOr<std::vector<TidemillPlugin>> ListOf(ListFunction function) {
  std::vector<TidemillPlugin> plugins;
  RETURN_IF_ERROR(Guard([&] {
    for (uint32_t index = 0; index < kMaxPlugins; ++index) {
      const TidemillPlugin* const plugin = function(index);
      if (plugin == nullptr) return;
      plugins.push_back(Known<TidemillPlugin>(plugin));
    }
  }));
  return plugins;
}

absl::Status CheckUsable(const TidemillPlugin& plugin, const KindEntry* kind,
                         const std::string& wanted) {
  if (plugin.version != TIDEMILL_PLUGIN_VERSION) {
    return FailedPrecondition("it was compiled for version {} of plug-ins; this is version {}",
                              plugin.version, TIDEMILL_PLUGIN_VERSION);
  }
  if (Text(plugin.kind) != wanted) {
    return InvalidArgument("it is a {}, but a {} is needed", Text(plugin.kind), wanted);
  }
  if (kind == nullptr)
    return InvalidArgument("this host does not support plug-ins of the kind {}", wanted);
  if (plugin.create == nullptr || plugin.destroy == nullptr || plugin.functions == nullptr) {
    return InvalidArgument("it needs create, destroy and the functions of its kind");
  }
  if ((plugin.seal == nullptr) != (plugin.restore == nullptr)) {
    return InvalidArgument("it needs both seal and restore, or neither");
  }
  return kind->check(plugin.functions);
}

// As docs/formats/plugin_protocol.md has it.
absl::StatusOr<json> Describe(const TidemillPlugin& plugin,
                              const std::vector<TidemillSetting>& settings) {
  ASSIGN_OR_RETURN(json described, DescribeSettings(settings));
  return json{{"kind", Text(plugin.kind)},
              {"name", Text(plugin.name)},
              {"doc", Text(plugin.doc)},
              {"version", Text(plugin.author_version)},
              {"settings", std::move(described)}};
}

}  // namespace

absl::StatusOr<LoadedPlugin> LoadPlugin(const std::string& file, const std::string& name,
                                        const std::string& kind) {
  ASSIGN_OR_RETURN(const ListFunction function, Open(file));
  ASSIGN_OR_RETURN(const std::vector<TidemillPlugin> plugins, ListOf(function));
  std::vector<std::string> names;
  for (const TidemillPlugin& plugin : plugins) names.push_back(Text(plugin.name));
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    return NotFound("{} has no plug-in {}; it has {}", file, name,
                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  }
  LoadedPlugin loaded{.plugin = plugins[static_cast<size_t>(found - names.begin())],
                      .kind = FindKind(kind)};
  RETURN_IF_ERROR(Annotate(CheckUsable(loaded.plugin, loaded.kind, kind), name));
  loaded.settings = KnownOnes(loaded.plugin.settings, loaded.plugin.num_settings);
  absl::StatusOr<json> described = Describe(loaded.plugin, loaded.settings);
  if (!described.ok()) return Annotate(described.status(), name);
  loaded.description = *std::move(described);
  return loaded;
}

absl::StatusOr<json> ListPlugins(const std::string& file) {
  ASSIGN_OR_RETURN(const ListFunction function, Open(file));
  ASSIGN_OR_RETURN(const std::vector<TidemillPlugin> plugins, ListOf(function));
  json listed = json::array();
  for (const TidemillPlugin& plugin : plugins) {
    const std::string kind = Text(plugin.kind);
    const absl::Status usable = CheckUsable(plugin, FindKind(kind), kind);
    absl::StatusOr<json> described =
        Describe(plugin, KnownOnes(plugin.settings, plugin.num_settings));
    const absl::Status problem = usable.ok() ? described.status() : usable;
    if (!described.ok()) described = json{{"kind", kind}, {"name", Text(plugin.name)}};
    if (!problem.ok()) (*described)["problem"] = std::string(problem.message());
    listed.push_back(*std::move(described));
  }
  return listed;
}

}  // namespace tidemill::plugin::host

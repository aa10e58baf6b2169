#include "cli/plugins/plugin_text.h"

#include <filesystem>
#include <utility>

#include "fmt/format.h"

#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

// How a pipeline names plug-ins, by kind.
constexpr std::pair<std::string_view, std::string_view> kSections[] = {
    {"trigger", "trigger: {{type: plugin, use: \"{}\"}}"},
    {"selection", "selection: {{type: plugin, use: \"{}\"}}"},
    {"score", "training: {{downsampling: {{type: plugin, use: \"{}\", fraction: 0.5}}}}"},
    {"op", "preprocess: {{graph: [..., {{plugin: {{use: \"{}\", columns: [...]}}}}]}}"},
    {"measure", "evaluation: {{measures: [{{type: plugin, use: \"{}\"}}]}}"},
    {"format", "datasets: {{NAME: {{format: {{type: plugin, use: \"{}\"}}}}}}"}};

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// "python 3.11.2, numpy 1.24.2; sandbox: bwrap".
std::string VersionsOf(const plugin::Description& plugin) {
  std::string text;
  for (const auto& [name, version] : plugin.versions.items()) {
    if (!version.is_string()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", OneLine(name),
                        OneLine(version.get<std::string>()));
  }
  return fmt::format("{}; sandbox: {}", text, plugin.sandbox);
}

// "0 to 1", "at least 1", "mean, max".
std::string BoundsOf(const plugin::DeclaredSetting& setting) {
  if (!setting.choices.empty()) return fmt::format("{}", fmt::join(setting.choices, ", "));
  if (setting.min && setting.max) return fmt::format("{} to {}", *setting.min, *setting.max);
  if (setting.min) return fmt::format("at least {}", *setting.min);
  return setting.max ? fmt::format("at most {}", *setting.max) : "";
}

ordered_json SettingToJson(const plugin::DeclaredSetting& setting) {
  ordered_json json = {{"name", setting.name},
                       {"type", plugin::PhraseOf(setting.type)},
                       {"required", !setting.default_value.has_value()}};
  if (setting.default_value) json["default"] = *setting.default_value;
  if (setting.min) json["min"] = *setting.min;
  if (setting.max) json["max"] = *setting.max;
  if (!setting.choices.empty()) json["choices"] = setting.choices;
  json["doc"] = setting.doc;
  return json;
}

std::string SettingsTable(const plugin::Description& plugin) {
  if (plugin.settings.empty()) return "It has no settings.\n";
  Table table({"setting", "type", "default", "limits", "meaning"});
  for (const plugin::DeclaredSetting& setting : plugin.settings) {
    table.Add({OneLine(setting.name), std::string(plugin::PhraseOf(setting.type)),
               setting.default_value ? OneLine(setting.default_value->dump()) : "required",
               OneLine(BoundsOf(setting)), OneLine(setting.doc)});
  }
  return table.ToString();
}

}  // namespace

std::string DescribeFiles(const std::vector<ListedFile>& files) {
  Table table({"plug-in", "kind", "what it is"});
  std::string failed;
  for (const ListedFile& listed : files) {
    if (!listed.plugins.ok()) {
      failed += fmt::format("{}: {}\n", OneLine(listed.file),
                            OneLine(std::string(listed.plugins.status().message())));
      continue;
    }
    for (const plugin::Description& plugin : *listed.plugins) {
      table.Add({OneLine(listed.file + ":" + plugin.name), OneLine(plugin.kind),
                 OneLine(plugin.problem.empty() ? FirstLine(plugin.doc)
                                                : "cannot run: " + plugin.problem)});
    }
  }
  return table.ToString() + (failed.empty() ? "" : "\nnot read:\n" + failed);
}

ordered_json FilesToJson(const std::vector<ListedFile>& files) {
  ordered_json plugins = ordered_json::array();
  ordered_json failed = ordered_json::array();
  for (const ListedFile& listed : files) {
    if (!listed.plugins.ok()) {
      failed.push_back(
          {{"file", listed.file}, {"error", std::string(listed.plugins.status().message())}});
      continue;
    }
    for (const plugin::Description& plugin : *listed.plugins) {
      plugins.push_back(PluginToJson(listed.file + ":" + plugin.name, plugin));
    }
  }
  return {{"plugins", std::move(plugins)}, {"failed", std::move(failed)}};
}

std::string DescribePlugin(const std::string& use, const plugin::Description& plugin) {
  const std::string_view article = plugin.kind == "op" ? "an" : "a";
  std::string text = fmt::format("{}: {} {}{}\n", use, article, plugin.kind,
                                 plugin.version.empty() ? "" : ", version " + plugin.version);
  if (!plugin.problem.empty()) text += fmt::format("It cannot run: {}\n", plugin.problem);
  if (!plugin.doc.empty()) text += fmt::format("\n{}\n", plugin.doc);
  text += fmt::format("\n{}\nruns with:    {}\n", SettingsTable(plugin), VersionsOf(plugin));
  const std::string named =
      InPipelines(plugin.kind, std::filesystem::path(use).filename().string());
  return text + (named.empty() ? "" : fmt::format("in pipelines: {}\n", named));
}

ordered_json PluginToJson(const std::string& use, const plugin::Description& plugin) {
  ordered_json settings = ordered_json::array();
  for (const plugin::DeclaredSetting& setting : plugin.settings) {
    settings.push_back(SettingToJson(setting));
  }
  ordered_json json = {{"plugin", use},
                       {"kind", plugin.kind},
                       {"version", plugin.version},
                       {"doc", plugin.doc},
                       {"settings", std::move(settings)},
                       {"versions", plugin.versions},
                       {"sandbox", plugin.sandbox}};
  if (!plugin.problem.empty()) json["problem"] = plugin.problem;
  return json;
}

std::string DescribeTrial(const std::string& use, const PluginTrial& trial) {
  std::string text = fmt::format("{}: {}\n\n", use, trial.summary);
  for (const plugin::Promise& promise : trial.promises) {
    text += fmt::format("  {}  {}{}{}\n", promise.is_kept ? "kept   " : "BROKEN ", promise.text,
                        promise.detail.empty() ? "" : ": ", promise.detail);
  }
  return text;
}

ordered_json TrialToJson(const std::string& use, const PluginTrial& trial) {
  ordered_json promises = ordered_json::array();
  for (const plugin::Promise& promise : trial.promises) {
    promises.push_back(
        {{"promise", promise.text}, {"kept", promise.is_kept}, {"detail", promise.detail}});
  }
  ordered_json json = {{"plugin", use}, {"kind", trial.kind}, {"verified", trial.KeepsAll()}};
  json.update(trial.numbers);
  json["promises"] = std::move(promises);
  return json;
}

std::string InPipelines(const std::string& kind, const std::string& use) {
  for (const auto& [known, section] : kSections) {
    if (known == kind) return fmt::format(fmt::runtime(section), use);
  }
  return "";
}

}  // namespace tidemill::cli

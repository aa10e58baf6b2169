#include "cli/commands/plugin.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/plugins/named_plugin.h"
#include "cli/plugins/plugin_templates.h"
#include "cli/plugins/plugin_text.h"
#include "cli/plugins/plugin_trial.h"
#include "cli/terminal/exit_codes.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Prints a result in the form that was asked for.
int Print(const GlobalFlags& flags, const ordered_json& json, const std::string& text) {
  fmt::print("{}", flags.json ? json.dump() + "\n" : text);
  return kDone;
}

int Verify(const GlobalFlags& flags, const NamedPlugin& named, const TrialSize& size) {
  const auto trial = TryPlugin(named, size);
  if (!trial.ok()) return Report(trial.status());
  Print(flags, TrialToJson(named.use, *trial), DescribeTrial(named.use, *trial));
  return trial->KeepsAll() ? kDone : kFailed;
}

int ShowPlugin(const GlobalFlags& flags, NamedPlugin named) {
  const auto plugin = FindPlugin(named);
  if (!plugin.ok()) return Report(plugin.status());
  return Print(flags, PluginToJson(named.use, *plugin), DescribePlugin(named.use, *plugin));
}

// The files of a folder that may hold plug-ins, by their names.
absl::StatusOr<std::vector<std::string>> FilesIn(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".py" && ending != ".so") continue;
    files.push_back(folder == "." ? entry.path().filename().string() : entry.path().string());
  }
  if (error) return NotFound("{}: {}", folder, error.message());
  std::ranges::sort(files);
  return files;
}

int ListPlugins(const GlobalFlags& flags, const std::string& folder) {
  const auto files = FilesIn(folder);
  if (!files.ok()) return Report(files.status());
  std::vector<ListedFile> listed;
  for (const std::string& file : *files) listed.push_back({file, PluginsIn(file)});
  return Print(flags, FilesToJson(listed), DescribeFiles(listed));
}

int New(const GlobalFlags& flags, const NewPlugin& plugin) {
  const auto written = WritePlugin(plugin);
  if (!written.ok()) return Report(written.status());
  std::string text;
  for (const std::string& file : *written) text += fmt::format("wrote {}\n", file);
  if (plugin.language != "python") {
    text += fmt::format("compile it:   {}\n", CompileCommand(plugin.name));
  }
  text += fmt::format("try it:       tidemill plugin verify {}\n", plugin.Use());
  text += fmt::format("in pipelines: {}\n", InPipelines(plugin.kind, plugin.Use()));
  return Print(flags, {{"written", *written}}, text);
}

void AddNew(Command& plugin) {
  Command& made = plugin.AddSubcommand("new", "Write the file of a new plug-in, and its test");
  static NewPlugin wanted;
  made.AddOption("kind", wanted.kind, "What it is: trigger, selection, score, op or measure")
      .Required();
  made.AddOption("name", wanted.name, "Its name, such as weekly_rise").Required();
  made.AddOption("--language", wanted.language, "python or c++");
  SetAction(made, [](const GlobalFlags& flags) { return New(flags, wanted); });
}

void AddNamed(Command& command, NamedPlugin& named) {
  command
      .AddOption("plugin", named.use,
                 "The file and the plug-in in it: surprise.py:Surprise. The name may be left out "
                 "where the file holds one")
      .Required();
}

void AddVerify(Command& plugin) {
  Command& verify =
      plugin.AddSubcommand("verify", "Hold a plug-in to what built-in parts are held to");
  static NamedPlugin named;
  static TrialSize size;
  static int64_t step = 60;
  AddNamed(verify, named);
  verify.AddOption("--with", named.with, "A setting: NAME=VALUE; may be given several times");
  verify.AddOption("--samples", size.num_samples, "Samples to try it on");
  verify.AddOption("--step", step,
                   "For triggers: a tenth of the time between two samples, in seconds");
  verify.AddOption("--input", size.inputs,
                   "For ops: a column to give it, such as price:float32 or image:uint8:3,32,32; "
                   "may be given several times");
  SetAction(verify, [](const GlobalFlags& flags) {
    size.step = Duration{step * 1'000'000};
    return Verify(flags, named, size);
  });
}

void AddShow(Command& plugin) {
  Command& show =
      plugin.AddSubcommand("show", "Show what a plug-in is, its settings and what it runs with");
  static NamedPlugin named;
  AddNamed(show, named);
  SetAction(show, [](const GlobalFlags& flags) { return ShowPlugin(flags, named); });
}

void AddList(Command& plugin) {
  Command& list = plugin.AddSubcommand("list", "List the plug-ins in the files of a folder");
  static std::string folder = ".";
  list.AddOption("folder", folder, "Where the files are");
  SetAction(list, [](const GlobalFlags& flags) { return ListPlugins(flags, folder); });
}

}  // namespace

void AddPluginCommands(Command& app) {
  Command& plugin =
      app.AddSubcommand("plugin", "Write, list, show and verify plug-ins of your own");
  plugin.RequireSubcommand();
  AddNew(plugin);
  AddList(plugin);
  AddShow(plugin);
  AddVerify(plugin);
}

}  // namespace tidemill::cli

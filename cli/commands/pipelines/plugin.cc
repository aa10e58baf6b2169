#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/commands/pipelines/commands.h"
#include "cli/plugins/named_plugin.h"
#include "cli/plugins/plugin_templates.h"
#include "cli/plugins/plugin_text.h"
#include "cli/plugins/plugin_trial.h"
#include "cli/stack/session.h"
#include "cli/terminal/exit_codes.h"
#include "plugin/process/fault.h"
#include "plugin/process/kept_prints.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Prints a result in the form that was asked for.
int Print(const GlobalFlags& flags, const ordered_json& json, const std::string& text) {
  fmt::print("{}", flags.json ? json.dump() + "\n" : text);
  return kDone;
}

// The limit of what a plug-in prints while it is tried.
constexpr size_t kMaxPrints = 4000;

// A status with what the plug-in said about its failure: its traceback, and what it printed.
absl::Status WithTraceback(const absl::Status& failure) {
  const std::string traceback = plugin::TracebackOf(failure);
  if (traceback.empty()) return failure;
  return absl::Status(failure.code(),
                      fmt::format("{}\n{}", std::string(failure.message()), traceback));
}

int Verify(const GlobalFlags& flags, const NamedPlugin& named, const TrialSize& size) {
  UsePluginSettings(flags);
  plugin::KeepPrints(kMaxPrints);
  const auto trial = TryPlugin(named, size);
  const std::string printed = plugin::TakePrints();
  if (!trial.ok()) return Report(WithTraceback(trial.status()));
  ordered_json json = TrialToJson(named.use, *trial);
  json["printed"] = printed;
  std::string text = DescribeTrial(named.use, *trial);
  if (!printed.empty()) text += fmt::format("\nit printed:\n{}", printed);
  Print(flags, json, text);
  return trial->KeepsAll() ? kDone : kFailed;
}

int ShowPlugin(const GlobalFlags& flags, NamedPlugin named) {
  UsePluginSettings(flags);
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
    if (entry.path().stem().string().ends_with("_test")) continue;
    files.push_back(folder == "." ? entry.path().filename().string() : entry.path().string());
  }
  if (error) return NotFound("{}: {}", folder, error.message());
  std::ranges::sort(files);
  return files;
}

int ListPlugins(const GlobalFlags& flags, const std::string& folder) {
  const auto files = FilesIn(folder);
  if (!files.ok()) return Report(files.status());
  UsePluginSettings(flags);
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
    text += fmt::format("test it:      {}\n", TestCommand(plugin.name));
  }
  text += fmt::format("try it:       tidemill plugin verify {}\n", plugin.Use());
  text += fmt::format("in pipelines: {}\n", InPipelines(plugin.kind, plugin.Use()));
  return Print(flags, {{"written", *written}}, text);
}

// More would take hours, and a year between two samples is more than any trigger looks at.
constexpr int64_t kMaxTrialSamples = 100'000'000;
constexpr int64_t kMaxStepSeconds = 366 * 86'400;

void AddNew(Command& plugin) {
  Command& made = plugin.AddSubcommand("new", "Write the file of a new plug-in, and its test");
  static NewPlugin wanted;
  made.AddOption("kind", wanted.kind, "Its kind: trigger, selection, score, op, measure or format")
      .Required();
  made.AddOption("name", wanted.name, "Its name, such as weekly_rise").Required();
  made.AddOption("--language", wanted.language, "python or c++");
  SetAction(made, [](const GlobalFlags& flags) { return New(flags, wanted); });
  made.AddExample("tidemill plugin new trigger weekly_rise");
  made.AddExample("tidemill plugin new measure cost --language c++");
}

void AddNamed(Command& command, NamedPlugin& named) {
  command
      .AddOption("plugin", named.use,
                 "The file and the plug-in in it: surprise.py:Surprise. The name may be left out "
                 "if the file holds only one")
      .Required();
}

void AddVerify(Command& plugin) {
  Command& verify =
      plugin.AddSubcommand("verify", "Check that a plug-in keeps the promises of built-in parts");
  static NamedPlugin named;
  static TrialSize size;
  static int64_t step = 60;
  AddNamed(verify, named);
  verify.AddOption("--with", named.with, "A setting: NAME=VALUE; may be given several times");
  verify.AddOption("--data", named.data,
                   "A data file that it reads, as `files` of a pipeline names it; may be given "
                   "several times");
  verify.AddOption("--samples", size.num_samples, "Samples to try it on")
      .Between(1, kMaxTrialSamples);
  verify
      .AddOption("--step", step,
                 "For triggers: a tenth of the time between two samples, in seconds")
      .Between(1, kMaxStepSeconds);
  verify.AddOption("--input", size.inputs,
                   "For ops: a column to give it, such as price:float32 or image:uint8:3,32,32; "
                   "may be given several times");
  verify.AddOption("--file", size.file, "For formats: the file that it reads");
  SetAction(verify, [](const GlobalFlags& flags) {
    size.step = Duration{step * 1'000'000};
    return Verify(flags, named, size);
  });
  verify.AddExample("tidemill plugin verify surprise.py:Surprise --with threshold=0.2");
}

void AddShow(Command& plugin) {
  Command& show = plugin.AddSubcommand(
      "show", "Show a plug-in's kind, its settings and the versions that it runs with");
  static NamedPlugin named;
  AddNamed(show, named);
  SetAction(show, [](const GlobalFlags& flags) { return ShowPlugin(flags, named); });
  show.AddExample("tidemill plugin show surprise.py");
}

void AddList(Command& plugin) {
  Command& list = plugin.AddSubcommand("list", "List the plug-ins in the files of a folder");
  static std::string folder = ".";
  list.AddOption("folder", folder, "Where the files are");
  SetAction(list, [](const GlobalFlags& flags) { return ListPlugins(flags, folder); });
  list.AddExample("tidemill plugin list policies/");
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

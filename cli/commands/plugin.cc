#include "cli/commands/plugin.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/process/program_folder.h"
#include "cli/command_line/action.h"
#include "cli/terminal/exit_codes.h"
#include "config/config.h"
#include "plugin/process/plugin_instance.h"
#include "supervisor/pipeline/disk_files.h"
#include "supervisor/pipeline/pipeline_files.h"
#include "supervisor/trials/trigger_promises.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using supervisor::TriggerSpec;

struct Named {
  std::string use;
  std::vector<std::string> with;
};

// What a pipeline says of the plug-in, so that problems have the paths that they have there.
struct TriggerSection {
  TriggerSpec trigger;

  void Fields(auto&& field) { field("trigger", trigger, "The plug-in.", {.required = true}); }
};

// The `trigger` section that names the plug-in, its file taken in. INVALID_ARGUMENT tells all
// problems.
absl::StatusOr<TriggerSpec> TriggerOf(const Named& named) {
  // The file may lie anywhere: only pipelines of others are kept to their own folders.
  const fs::path path = fs::absolute(named.use);
  std::string text =
      fmt::format("trigger:\n  type: plugin\n  use: \"{}\"\n  with:", path.filename().string());
  for (const std::string& setting : named.with) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return InvalidArgument("--with takes NAME=VALUE, and got '{}'", setting);
    }
    text += fmt::format("\n    {}: {}", setting.substr(0, equals), setting.substr(equals + 1));
  }
  if (named.with.empty()) text += " {}";
  auto decoded = config::Decode<TriggerSection>({.text = text, .name = "plug-in", .variables = {}});
  supervisor::DiskFiles files(path.parent_path().string(), "");
  if (decoded.problems.empty())
    supervisor::ReadInto(decoded.value.trigger, files, decoded.problems);
  RETURN_IF_ERROR(decoded.problems.ToStatus());
  return std::move(decoded.value.trigger);
}

ordered_json ToJson(const supervisor::trials::TriggerTrial& trial) {
  ordered_json promises = ordered_json::array();
  for (const auto& promise : trial.promises) {
    promises.push_back(
        {{"promise", promise.text}, {"kept", promise.is_kept}, {"detail", promise.detail}});
  }
  return {{"verified", trial.KeepsAll()},
          {"samples", trial.num_samples},
          {"decisions", trial.num_decisions},
          {"fired", trial.num_fired},
          {"milliseconds_per_decision", trial.milliseconds_per_decision},
          {"promises", std::move(promises)}};
}

void PrintTrial(const Named& named, const supervisor::trials::TriggerTrial& trial) {
  fmt::print("{}: {} decisions over {} samples, {:.2f} ms each\n\n", named.use, trial.num_decisions,
             trial.num_samples, trial.milliseconds_per_decision);
  for (const auto& promise : trial.promises) {
    fmt::print("  {}  {}{}{}\n", promise.is_kept ? "kept   " : "BROKEN ", promise.text,
               promise.detail.empty() ? "" : ": ", promise.detail);
  }
}

int Verify(const GlobalFlags& flags, const Named& named, int64_t num_samples, int64_t step) {
  const auto spec = TriggerOf(named);
  if (!spec.ok()) return Report(spec.status());
  const auto trial = supervisor::trials::TryTrigger(*spec, num_samples, Duration{step * 1'000'000});
  if (!trial.ok()) return Report(trial.status());
  if (flags.json) {
    fmt::print("{}\n", ToJson(*trial).dump());
  } else {
    PrintTrial(named, *trial);
  }
  return trial->KeepsAll() ? kDone : kFailed;
}

int Show(const GlobalFlags& flags, const Named& named) {
  const auto spec = TriggerOf(named);
  if (!spec.ok()) return Report(spec.status());
  const std::string runs_with = (*spec)->RunsWith();
  if (flags.json) {
    const ordered_json document = {{"plugin", named.use}, {"runs_with", runs_with}};
    fmt::print("{}\n", document.dump());
  } else {
    fmt::print("{}\n", runs_with);
  }
  return kDone;
}

// "weekly_rise" as the name of a class: "WeeklyRise".
std::string ClassNameOf(const std::string& name) {
  std::string text;
  bool begins = true;
  for (const char letter : name) {
    if (letter == '_') {
      begins = true;
      continue;
    }
    text +=
        begins && letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    begins = false;
  }
  return text;
}

bool IsIdentifier(const std::string& name) {
  const auto letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); };
  return !name.empty() && letter(name[0]) && name[0] != '_' &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// Writes the files of a new plug-in from templates, and returns their names. ALREADY_EXISTS when
// one is there.
absl::StatusOr<std::vector<std::string>> WriteNew(const std::string& kind, const std::string& name,
                                                  const std::string& language) {
  if (!IsIdentifier(name)) {
    return InvalidArgument("'{}' is no name of a plug-in; write small letters, digits and _", name);
  }
  if (language != "python" && language != "c++") {
    return InvalidArgument("plug-ins are written in python or c++, not in '{}'", language);
  }
  ASSIGN_OR_RETURN(const std::string programs, process::ProgramFolder());
  const fs::path templates = fs::path(programs) / "../lib/tidemill/templates";
  const std::string ending = language == "python" ? "py" : "cpp";
  std::vector<std::string> written;
  for (const std::string suffix : {"", "_test"}) {
    const std::string file = name + suffix + "." + ending;
    if (fs::exists(file)) return AlreadyExists("{} is there already; choose another name", file);
    const fs::path from = templates / (kind + suffix + "." + ending);
    if (!fs::exists(from)) continue;
    ASSIGN_OR_RETURN(std::string text, files::Read(from.string(), size_t{1} << 20));
    text = Replaced(Replaced(std::move(text), "CLASS_NAME", ClassNameOf(name)), "FILE_NAME", name);
    RETURN_IF_ERROR(files::WriteAtomically(file, text));
    written.push_back(file);
  }
  if (written.empty()) {
    return InvalidArgument("there is no plug-in of the kind '{}' in {}; known: trigger", kind,
                           language);
  }
  return written;
}

// Where `tidemill/plugin.hpp` is.
std::string HeaderFolder() {
  const fs::path programs = process::ProgramFolder().value_or(".");
  return (programs / "../include").lexically_normal().string();
}

int New(const GlobalFlags& flags, const std::string& kind, const std::string& name,
        const std::string& language) {
  const auto written = WriteNew(kind, name, language);
  if (!written.ok()) return Report(written.status());
  if (flags.json) {
    fmt::print("{}\n", ordered_json({{"written", *written}}).dump());
    return kDone;
  }
  for (const std::string& file : *written) fmt::print("wrote {}\n", file);
  const std::string ending = language == "python" ? "py" : "so";
  if (language != "python") {
    fmt::print("compile it:   g++ -std=c++20 -O2 -shared -fPIC -I {} {}.cpp -o {}.so\n",
               HeaderFolder(), name, name);
  }
  fmt::print("try it:       tidemill plugin verify {}.{}:{}\n", name, ending, ClassNameOf(name));
  fmt::print("in pipelines: trigger: {{type: plugin, use: \"{}.{}:{}\"}}\n", name, ending,
             ClassNameOf(name));
  return kDone;
}

void AddNew(Command& plugin) {
  Command& made = plugin.AddSubcommand("new", "Write the file of a new plug-in, and its test");
  static std::string kind, name;
  static std::string language = "python";
  made.AddOption("kind", kind, "What it is: trigger").Required();
  made.AddOption("name", name, "Its name, such as weekly_rise").Required();
  made.AddOption("--language", language, "python or c++");
  SetAction(made, [](const GlobalFlags& flags) { return New(flags, kind, name, language); });
}

void AddVerify(Command& plugin) {
  Command& verify = plugin.AddSubcommand(
      "verify", "Hold a plug-in to what built-in policies are held to, on samples that drift");
  static Named named;
  static int64_t num_samples = 5000;
  static int64_t step = 60;
  verify.AddOption("plugin", named.use, "The file and the plug-in in it: surprise.py:Surprise")
      .Required();
  verify.AddOption("--with", named.with, "A setting: NAME=VALUE; may be given several times");
  verify.AddOption("--samples", num_samples, "Samples of the stream");
  verify.AddOption("--step", step, "A tenth of the time between two samples, in seconds");
  SetAction(verify,
            [](const GlobalFlags& flags) { return Verify(flags, named, num_samples, step); });
}

}  // namespace

void AddPluginCommands(Command& app) {
  Command& plugin = app.AddSubcommand("plugin", "Write, show and verify plug-ins of your own");
  plugin.RequireSubcommand();
  AddNew(plugin);
  AddVerify(plugin);
  Command& show = plugin.AddSubcommand("show", "Show what a plug-in runs with");
  static Named named;
  show.AddOption("plugin", named.use, "The file and the plug-in in it: surprise.py:Surprise")
      .Required();
  show.AddOption("--with", named.with, "A setting: NAME=VALUE; may be given several times");
  SetAction(show, [](const GlobalFlags& flags) { return Show(flags, named); });
}

}  // namespace tidemill::cli

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "nlohmann/json.hpp"

#include "base/paths/output_file.h"
#include "base/paths/shell_word.h"
#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/commands/pipelines/commands.h"
#include "cli/init/candidates/choice.h"
#include "cli/init/candidates/trial.h"
#include "cli/init/draft.h"
#include "cli/init/look/utf8_copy.h"
#include "cli/pipelines/pipeline_file.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

struct InitFlags {
  std::string path;
  std::string output = "pipeline.yaml";
  std::string name;
  std::string label;
  std::string time;
  std::string task;
  std::string delimiter;
  std::string decimal;
  std::string header;
  std::string budget = "10s";
  bool quick = false;
  bool force = false;
  bool convert = false;
};

bool SomebodyCanAnswer() {
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
}

std::string AskAtTerminal(const std::string& question) {
  SayAside(Printable(question));
  std::string answer;
  std::getline(std::cin, answer);
  return answer;
}

std::optional<std::string> Given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// The command with the options that change guesses.
std::string CommandOf(const InitFlags& flags) {
  std::string command = "tidemill init " + ShellWord(flags.path);
  const std::pair<const char*, const std::string*> options[] = {
      {"--label", &flags.label},  {"--time", &flags.time},           {"--task", &flags.task},
      {"--name", &flags.name},    {"--delimiter", &flags.delimiter}, {"--decimal", &flags.decimal},
      {"--header", &flags.header}};
  for (const auto& [option, value] : options) {
    if (!value->empty()) command += " " + std::string(option) + " " + ShellWord(*value);
  }
  return command;
}

DraftOptions OptionsOf(const InitFlags& flags, const GlobalFlags& global) {
  DraftOptions options{.path = flags.path, .output = flags.output, .name = flags.name};
  options.csv = {.delimiter = Given(flags.delimiter), .decimal = Given(flags.decimal)};
  if (flags.delimiter == "\\t" || flags.delimiter == "tab") options.csv.delimiter = "\t";
  if (!flags.header.empty()) options.csv.header = flags.header == "yes";
  options.label.column = Given(flags.label);
  if (!flags.task.empty()) {
    options.label.task = flags.task == "regression" ? Task::kRegression : Task::kClassification;
  }
  options.time = Given(flags.time);
  options.command = CommandOf(flags);
  if (!global.json && !global.quiet && SomebodyCanAnswer()) options.ask = AskAtTerminal;
  return options;
}

nlohmann::ordered_json ToJson(const std::string& section, const Guess& guess) {
  std::string value = guess.value;
  std::ranges::replace(value, kBreak, ' ');
  nlohmann::ordered_json others = nlohmann::ordered_json::array();
  for (const OtherChoice& other : guess.others) {
    std::string line = other.line;
    std::ranges::replace(line, kBreak, ' ');
    others.push_back({{"line", line}, {"reason", other.reason}});
  }
  return {{"section", section},     {"key", guess.key},         {"value", value},
          {"reason", guess.reason}, {"unknown", guess.unknown}, {"others", others}};
}

void PrintJson(const InitFlags& flags, const PipelineDraft& draft,
               const std::optional<Trial>& trial) {
  nlohmann::ordered_json guesses = nlohmann::ordered_json::array();
  const auto add = [&](const std::string& section, const std::vector<Guess>& part) {
    for (const Guess& guess : part) guesses.push_back(ToJson(section, guess));
  };
  add("datasets." + draft.name, draft.dataset);
  add("preprocess.graph", draft.graph);
  add("", draft.sections);
  const nlohmann::ordered_json document = {
      {"written", flags.output},
      {"name", draft.name},
      {"looked_at", draft.looked_at},
      {"guesses", guesses},
      {"left_out", draft.left_out},
      {"unknown", draft.Unknown()},
      {"trial", trial ? TrialToJson(*trial) : nlohmann::ordered_json(nullptr)}};
  fmt::print("{}\n", document.dump());
}

void Tell(const InitFlags& flags, const PipelineDraft& draft, bool quiet) {
  for (const std::string& what : draft.Unknown()) {
    fmt::print(stderr, "not known: {}\n", Printable(what));
  }
  if (quiet) return;
  for (const std::string& line : draft.tried) fmt::print("{}\n", Printable(line));
  fmt::print("wrote {}: looked at {}\n", Printable(flags.output), Printable(draft.looked_at));
  fmt::print("read it, then:\n  tidemill check {0}\n  tidemill run {0}\n", Printable(flags.output));
}

absl::StatusOr<std::chrono::milliseconds> BudgetOf(const InitFlags& flags) {
  auto length = ParseDuration(flags.budget);
  if (!length.ok()) return Annotate(length.status(), "--budget");
  // Shorter than the start and the end of a stack.
  if (length->micros < 2'000'000) {
    return InvalidArgument("--budget: must be 2s at least, such as 10s; --quick tries nothing");
  }
  return std::chrono::milliseconds(length->micros / 1000);
}

// Replaces the model and the selection of the draft by those that do best on a part of the data. If
// nothing can be tried, the guess remains, with the reason.
std::optional<Trial> Try(PipelineDraft& draft, std::chrono::milliseconds budget, bool quiet) {
  const auto say = [&](const std::string& step) {
    if (!quiet) SayAside(Printable(step) + "\n");
  };
  auto trial = TryCandidates(draft, budget, say);
  if (trial.ok()) {
    draft = WithTrial(std::move(draft), *trial);
    return *std::move(trial);
  }
  draft.more_unknown.push_back(
      fmt::format("whether the model is any good: it could not be tried, because {}; --quick tries "
                  "nothing",
                  std::string(trial.status().message())));
  return std::nullopt;
}

int Init(const InitFlags& flags, const GlobalFlags& global) {
  const auto budget = BudgetOf(flags);
  if (!budget.ok()) return Report(budget.status());
  if (!flags.force && std::filesystem::exists(flags.output)) {
    return Report(AlreadyExists(
        "{} already exists; choose another file with --output, or overwrite it with --force",
        flags.output));
  }
  DraftOptions options = OptionsOf(flags, global);
  if (flags.convert) {
    const auto copy = CopyAsUtf8(flags.path, flags.force);
    if (!copy.ok()) return Report(copy.status());
    if (*copy != flags.path) fmt::print(stderr, "wrote {}, a copy in UTF-8\n", Printable(*copy));
    options.path = *copy;
  }
  auto draft = DraftPipeline(options);
  if (!draft.ok()) return Report(draft.status());
  std::optional<Trial> trial;
  if (!flags.quick) trial = Try(*draft, *budget, global.quiet || global.json);
  const std::string text = PipelineText(*draft);
  if (const auto written = files::WriteOutput(flags.output, text); !written.ok())
    return Report(written);
  if (global.json) {
    PrintJson(flags, *draft, trial);
  } else {
    Tell(flags, *draft, global.quiet);
  }
  const auto file = ReadPipelineFile(flags.output);
  if (!file.ok()) return Report(file.status());
  const auto checked = CheckPipelineFile(*file);
  PrintWarnings(checked.warnings);
  return checked.problems.empty() ? kDone : ReportProblems(checked.problems, false);
}

}  // namespace

void AddInitCommand(Command& app) {
  Command& init =
      app.AddSubcommand("init", "Write a pipeline for your data, with guessed settings");
  static InitFlags flags;
  init.AddOption("path", flags.path,
                 "A CSV or JSON Lines file, a folder of these, or a folder with a folder of images "
                 "for each class")
      .Required()
      .TypeName("PATH");
  init.AddOption("-o,--output", flags.output, "Where to write the pipeline").TypeName("FILE");
  init.AddFlag("--quick", flags.quick, "Guess the model, too; by default, several are tried");
  init.AddOption("--budget", flags.budget, "How long to try models (default: 10s)")
      .TypeName("DURATION");
  init.AddFlag("--force", flags.force, "Overwrite an existing pipeline");
  init.AddFlag(
      "--convert", flags.convert,
      "If a CSV file is in Windows-1252 or Latin-1, write a copy in UTF-8 beside it, and use that");
  init.AddOption("--name", flags.name,
                 "Name of the pipeline and its dataset (default: the name of the file)");
  init.AddOption("--label", flags.label, "The column that the model learns to predict")
      .TypeName("COLUMN");
  init.AddOption("--time", flags.time, "The column with the time of a record").TypeName("COLUMN");
  init.AddOption("--task", flags.task, "Kind of the label").OneOf({"classification", "regression"});
  init.AddOption("--delimiter", flags.delimiter, "Delimiter of a CSV file; tab for a tab");
  init.AddOption("--decimal", flags.decimal, "Separator before the fraction of a number")
      .OneOf({".", ","});
  init.AddOption("--header", flags.header,
                 "Whether the first record of a CSV file names its columns")
      .OneOf({"yes", "no"});
  SetAction(init, [](const GlobalFlags& global) { return Init(flags, global); });
  init.AddExample("tidemill init sales.csv");
  init.AddExample("tidemill init sales.csv --label churned --time day --output sales.yaml");
  init.AddExample("tidemill init photos/ --name photos");
}

}  // namespace tidemill::cli

#include "cli/command_line/completion.h"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/files.h"
#include "cli/command_line/action.h"
#include "cli/command_line/manual.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/stack/commands.h"
#include "cli/results/run_json.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "model_store/client/model_store_client.h"
#include "storage/client/storage_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

// A user waits at a prompt.
constexpr suseconds_t kPatienceMicros = 300'000;
constexpr int64_t kMaxCompleted = 200;

// Names, and what they are.
using Names = std::vector<std::pair<std::string, std::string>>;

absl::StatusOr<Names> Runs(const Session& session) {
  supervisor::v1::ListRunsRequest newest;
  newest.set_limit(kMaxCompleted);
  ASSIGN_OR_RETURN(const auto listed, session.Ask(&supervisor::SupervisorClient::FindRuns, newest));
  ASSIGN_OR_RETURN(const auto pipelines,
                   session.Ask(&supervisor::SupervisorClient::ListPipelines, ""));
  Names names = {{"latest", "the newest run"}};
  for (const supervisor::v1::Pipeline& pipeline : pipelines.pipelines()) {
    if (pipeline.num_runs() > 0) names.emplace_back(pipeline.name(), "its newest run");
  }
  for (const supervisor::v1::Run& run : listed.runs()) {
    names.emplace_back(std::to_string(run.run_id()),
                       fmt::format("{}, {}", run.pipeline_name(), StateName(run.state())));
  }
  return names;
}

absl::StatusOr<Names> Pipelines(const Session& session) {
  ASSIGN_OR_RETURN(const auto listed,
                   session.Ask(&supervisor::SupervisorClient::ListPipelines, ""));
  Names names;
  for (const supervisor::v1::Pipeline& pipeline : listed.pipelines()) {
    names.emplace_back(pipeline.name(), pipeline.description());
  }
  return names;
}

absl::StatusOr<Names> Datasets(const Session& session) {
  ASSIGN_OR_RETURN(const auto datasets, session.Ask(&storage::StorageClient::ListDatasets));
  Names names;
  for (const storage::v1::Dataset& dataset : datasets) {
    names.emplace_back(dataset.name(), WithThousands(dataset.num_samples()) + " samples");
  }
  return names;
}

absl::StatusOr<Names> Models(const Session& session) {
  model_store::v1::ListModelsRequest newest;
  newest.set_order(model_store::v1::MODEL_ORDER_MODEL);
  newest.set_descending(true);
  newest.set_limit(kMaxCompleted);
  ASSIGN_OR_RETURN(const auto listed,
                   session.Ask(&model_store::ModelStoreClient::FindModels, newest));
  Names names = {{"latest", "the newest model that is kept"}};
  for (const model_store::v1::Model& model : listed.models()) {
    names.emplace_back(std::to_string(model.model_id()),
                       fmt::format("run {}, trigger {}", model.run_id(), model.trigger()));
  }
  return names;
}

absl::StatusOr<Names> NamesOf(ValueKind kind, const StackAddress& stack) {
  if (kind == ValueKind::kService) {
    Names names = {{"stack", "the parent of the services"}};
    for (const char* service : kServices) names.emplace_back(service, "");
    return names;
  }
  absl::StatusOr<Names> (*const list)(const Session&) = kind == ValueKind::kRun        ? Runs
                                                        : kind == ValueKind::kPipeline ? Pipelines
                                                        : kind == ValueKind::kDataset  ? Datasets
                                                        : kind == ValueKind::kModel    ? Models
                                                                                       : nullptr;
  if (list == nullptr) return Names();
  ASSIGN_OR_RETURN(const Session session, Session::Attach(stack));
  return list(session);
}

// Prints what may follow, one line each because names are users' own. It prints no names when they
// cannot be had in time: neither a message nor a pause has a place at a prompt.
int PrintCompletion(Completion completion, StackAddress stack) {
  if (const int null = open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
    dup2(null, STDERR_FILENO);
  }
  std::signal(SIGALRM, [](int) { _exit(kDone); });
  const itimerval deadline = {.it_interval = {},
                              .it_value = {.tv_sec = 0, .tv_usec = kPatienceMicros}};
  setitimer(ITIMER_REAL, &deadline, nullptr);
  if (completion.others == ValueKind::kFile) completion.words = {{":files", ""}};
  if (completion.others == ValueKind::kFolder) completion.words = {{":folders", ""}};
  SetStackFlags(completion.flags, stack);
  const auto names = NamesOf(completion.others, stack);
  if (names.ok()) completion.words.insert(completion.words.end(), names->begin(), names->end());
  std::string text;
  for (const auto& [name, meaning] : completion.words) {
    text += OneLine(name) + (meaning.empty() ? "" : "\t" + OneLine(meaning)) + "\n";
  }
  fmt::print("{}", text);
  std::fflush(stdout);
  _exit(kDone);
}

int WriteManual(const CommandInfo& root, const std::string& folder) {
  const auto pages = ManualPages(root);
  if (folder.empty()) {
    fmt::print("{}", pages.at("tidemill.1"));
    return kDone;
  }
  if (const absl::Status status = files::CreateFolder(folder); !status.ok()) return Report(status);
  for (const auto& [name, page] : pages) {
    const absl::Status status = files::WriteAtomically(files::Join(folder, name), page);
    if (!status.ok()) return Report(status);
  }
  fmt::print(stderr, "{} pages written to {}\n", pages.size(), folder);
  return kDone;
}

}  // namespace

void AddCompletionCommands(Command& app) {
  Command& completion = app.AddSubcommand("completion", "Print the completion script of a shell");
  static std::string shell;
  completion.AddOption("shell", shell, "The shell").Required().OneOf({"bash", "zsh", "fish"});
  SetAction(completion, [](const GlobalFlags&) {
    fmt::print("{}", CompletionScript(shell));
    return kDone;
  });
  completion.AddExample(
      "tidemill completion bash > ~/.local/share/bash-completion/completions/tidemill");

  Command& man = app.AddSubcommand("man", "Print the manual page, or write every page");
  static std::string folder;
  man.AddOption("folder", folder, "Write tidemill.1 and a page for each command there")
      .TypeName("FOLDER");
  SetAction(man, [&app](const GlobalFlags&) { return WriteManual(DescribeTree(app), folder); });
  man.AddExample("tidemill man | man -l -");
  man.AddExample("tidemill man ~/.local/share/man/man1");

  Command& complete = app.AddSubcommand("__complete", "List what may follow on a command line");
  complete.Hide();
  static std::vector<std::string> words;
  complete.AddOption("words", words, "The words of the line, after --").MayBeEmpty();
  SetAction(complete, [&app](const GlobalFlags& flags) {
    return PrintCompletion(Complete(DescribeTree(app), words), flags);
  });
}

}  // namespace tidemill::cli

#include "cli/commands/completion.h"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/files.h"
#include "cli/command_line/action.h"
#include "cli/command_line/completion_bash.h"
#include "cli/command_line/completion_fish.h"
#include "cli/command_line/completion_zsh.h"
#include "cli/command_line/manual.h"
#include "cli/command_line/with_session.h"
#include "cli/results/run_json.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "tidemill/model_store/v1/model_store.grpc.pb.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

// Somebody waits at a prompt.
constexpr suseconds_t kPatienceMicros = 300'000;

// Names and, behind a tab, what they are. One line each: names are users' own.
using Names = std::vector<std::pair<std::string, std::string>>;

absl::StatusOr<Names> Runs(const Session& session) {
  namespace v1 = supervisor::v1;
  v1::ListRunsResponse response;
  RETURN_IF_ERROR(session.Call<v1::SupervisorService>(
      "supervisor", &v1::SupervisorService::Stub::ListRuns, v1::ListRunsRequest(), &response));
  Names names;
  for (const v1::Run& run : response.runs()) {
    names.emplace_back(std::to_string(run.run_id()),
                       fmt::format("{}, {}", run.pipeline_name(), StateName(run.state())));
  }
  return names;
}

absl::StatusOr<Names> Pipelines(const Session& session) {
  namespace v1 = supervisor::v1;
  v1::ListPipelinesResponse response;
  RETURN_IF_ERROR(session.Call<v1::SupervisorService>("supervisor",
                                                      &v1::SupervisorService::Stub::ListPipelines,
                                                      v1::ListPipelinesRequest(), &response));
  Names names;
  for (const v1::Pipeline& pipeline : response.pipelines()) {
    names.emplace_back(pipeline.name(), pipeline.description());
  }
  return names;
}

absl::StatusOr<Names> Datasets(const Session& session) {
  namespace v1 = storage::v1;
  v1::ListDatasetsResponse response;
  RETURN_IF_ERROR(session.Call<v1::StorageService>(
      "storage", &v1::StorageService::Stub::ListDatasets, v1::ListDatasetsRequest(), &response));
  Names names;
  for (const v1::Dataset& dataset : response.datasets()) {
    names.emplace_back(dataset.name(), WithThousands(dataset.num_samples()) + " samples");
  }
  return names;
}

absl::StatusOr<Names> Models(const Session& session) {
  namespace v1 = model_store::v1;
  v1::ListModelsResponse response;
  RETURN_IF_ERROR(session.Call<v1::ModelStoreService>(
      "model_store", &v1::ModelStoreService::Stub::ListModels, v1::ListModelsRequest(), &response));
  Names names;
  for (const v1::Model& model : response.models()) {
    names.emplace_back(std::to_string(model.model_id()),
                       fmt::format("run {}, trigger {}", model.run_id(), model.trigger()));
  }
  return names;
}

absl::StatusOr<Names> NamesOf(const std::string& kind, const GlobalFlags& flags) {
  if (kind == "services") {
    Names names = {{"stack", "the parent of the services"}};
    for (const char* service : kServices) names.emplace_back(service, "");
    return names;
  }
  ASSIGN_OR_RETURN(const Session session, Session::Attach(flags));
  if (kind == "runs") return Runs(session);
  if (kind == "pipelines") return Pipelines(session);
  if (kind == "datasets") return Datasets(session);
  if (kind == "models") return Models(session);
  return Names();
}

// Prints names, or nothing when they cannot be had in time: neither a message nor a pause has a
// place at a prompt.
int Complete(const GlobalFlags& flags, const std::string& kind) {
  if (const int null = open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
    dup2(null, STDERR_FILENO);
  }
  std::signal(SIGALRM, [](int) { _exit(kDone); });
  const itimerval deadline = {.it_interval = {},
                              .it_value = {.tv_sec = 0, .tv_usec = kPatienceMicros}};
  setitimer(ITIMER_REAL, &deadline, nullptr);
  if (const auto names = NamesOf(kind, flags); names.ok()) {
    std::string text;
    for (const auto& [name, meaning] : *names) {
      text += OneLine(name) + (meaning.empty() ? "" : "\t" + OneLine(meaning)) + "\n";
    }
    fmt::print("{}", text);
    std::fflush(stdout);
  }
  _exit(kDone);
}

int PrintCompletion(const CommandInfo& root, const std::string& shell) {
  fmt::print("{}", shell == "bash"  ? BashCompletion(root)
                   : shell == "zsh" ? ZshCompletion(root)
                                    : FishCompletion(root));
  return kDone;
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
  SetAction(completion,
            [&app](const GlobalFlags&) { return PrintCompletion(DescribeTree(app), shell); });

  Command& man = app.AddSubcommand("man", "Print the manual page, or write every page");
  static std::string folder;
  man.AddOption("folder", folder, "Write tidemill.1 and a page for each command there")
      .TypeName("FOLDER");
  SetAction(man, [&app](const GlobalFlags&) { return WriteManual(DescribeTree(app), folder); });

  Command& complete = app.AddSubcommand("__complete", "List names for completion");
  complete.Hide();
  static std::string kind;
  complete.AddOption("kind", kind, "runs, datasets, pipelines, models or services").Required();
  SetAction(complete, [](const GlobalFlags& flags) { return Complete(flags, kind); });
}

}  // namespace tidemill::cli

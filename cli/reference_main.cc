// Writes docs/reference/: everything the programs can say about themselves.
#include <cstdio>
#include <string_view>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/command_line/command_tree.h"
#include "cli/terminal/exit_codes.h"
#include "cli/tidemill.h"
#include "config/config.h"
#include "evaluator/evaluator_config.h"
#include "expressions/reference.h"
#include "preprocess/dispatcher/dispatcher_config.h"
#include "preprocess/worker/worker_config.h"
#include "rpc/service_main.h"
#include "rpc/usage/prices_config.h"
#include "selector/selector_config.h"
#include "storage/storage_config.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/supervisor_config.h"
#include "trainer_server/trainer_config.h"

namespace tidemill::cli {
namespace {

std::string ExitCodeReference() {
  std::string page =
      "# Exit codes of `tidemill`\n\n| code | name in errors | meaning |\n|---|---|---|\n";
  for (const ExitCodeMeaning& code : ExitCodeMeanings()) {
    page += fmt::format("| {} | `{}` | {} |\n", code.code, code.name, code.meaning);
  }
  return page +
         "\n# Errors as JSON\n\n"
         "A command that fails says why on standard error. With `--json` it also prints the error "
         "on "
         "standard output, as one\nline:\n\n"
         "```json\n"
         R"({"error": {"code": "not_found", "exit_code": 4, "message": "there is no run 9999"}})"
         "\n```\n\n"
         "| member | meaning |\n|---|---|\n"
         "| `code`, `exit_code` | the exit code, by name and number |\n"
         "| `message` | what is wrong, in the words for people |\n"
         "| `advice` | what to do, where it is known and not part of the message |\n"
         "| `file`, `line`, `column` | where it is wrong; for a value of the command line, `file` "
         "is "
         "`--set KEY` and has no line |\n"
         "| `path` | the key in the file, such as `training.optimizer.lr` |\n"
         "| `findings` | where there are several: each with its own `message`, `file`, `line`, "
         "`column`, `path` and `advice`. The members above are those of the first one |\n\n"
         "Members that are not known are absent. `check` and `run` print the error of a pipeline "
         "file beside `valid` and\n`problems`, and nothing on standard error. A command that fails "
         "after a part of its result has been printed prints the error\nas the last line. A run "
         "that "
         "has failed is a result, not an error of the command.\n";
}

struct SystemConfig {
  static constexpr std::string_view kDoc =
      "The file that `--config` of every service names. `tidemill up` writes one.";
  rpc::ClusterConfig cluster;
  storage::StorageConfig storage;
  selector::SelectorConfig selector;
  trainer_server::TrainerConfig trainer_server;
  evaluator::EvaluatorConfig evaluator;
  supervisor::SupervisorConfig supervisor;
  preprocess::DispatcherConfig preprocess;
  preprocess::WorkerConfig preprocess_worker;
  rpc::PricesConfig prices;
  void Fields(auto&& field) {
    field("cluster", cluster, "What all services share.", {.required = true});
    field("storage", storage, "The storage service.");
    field("selector", selector, "The selector service.");
    field("trainer_server", trainer_server, "The trainer server.");
    field("supervisor", supervisor, "The supervisor.");
    field("evaluator", evaluator, "The evaluator service.");
    field("preprocess", preprocess, "The dispatcher of preprocessing.");
    field("preprocess_worker", preprocess_worker, "A preprocessing worker.");
    field("prices", prices, "What users pay.");
  }
};

// What a row of a policy's table says, where the policy says it.
void AddRow(std::string& page, const char* name, std::string_view text) {
  if (!text.empty()) page += fmt::format("| {} | {} |\n", name, text);
}

std::string TriggerReference(const config::Alternative<supervisor::Trigger>& policy) {
  const auto trigger = policy.make();
  const supervisor::TriggerText text = trigger->Text();
  std::string page =
      config::ReferenceOf(policy, fmt::format("Trigger policy `{}`", policy.type().tag));
  page += "\n## How it decides\n\n| | |\n|---|---|\n";
  AddRow(page, "fires when", text.rule);
  AddRow(page, "decides", text.points);
  AddRow(page, "costs", text.cost);
  AddRow(page, "after", text.source);
  return page;
}

// For kinds that choose samples.
template <typename Interface>
std::string ChoiceReference(const char* kind, const config::Alternative<Interface>& policy) {
  const auto text = policy.make()->Text();
  std::string page = config::ReferenceOf(policy, fmt::format("{} `{}`", kind, policy.type().tag));
  page += "\n## How it chooses\n\n| | |\n|---|---|\n";
  AddRow(page, "chooses", text.rule);
  AddRow(page, "weights", text.weights);
  AddRow(page, "costs", text.cost);
  AddRow(page, "after", text.source);
  return page;
}

std::string SelectionReference(const config::Alternative<selector::Selection>& policy) {
  return ChoiceReference("Selection policy", policy);
}

std::string DownsamplingReference(const config::Alternative<models::Downsampling>& method) {
  return ChoiceReference("Downsampling method", method);
}

// A page for each part of a kind.
template <typename Interface>
absl::Status WritePages(const std::string& folder,
                        std::string (*page)(const config::Alternative<Interface>&)) {
  RETURN_IF_ERROR(files::CreateFolder(folder));
  for (const config::Alternative<Interface>& part : Interface::Alternatives()) {
    const std::string file = files::Join(folder, std::string(part.type().tag) + ".md");
    RETURN_IF_ERROR(files::WriteAtomically(file, page(part)));
  }
  return absl::OkStatus();
}

absl::Status WriteAllPolicies(const std::string& folder) {
  RETURN_IF_ERROR(WritePages(files::Join(folder, "triggers"), TriggerReference));
  RETURN_IF_ERROR(WritePages(files::Join(folder, "selection"), SelectionReference));
  return WritePages(files::Join(folder, "downsampling"), DownsamplingReference);
}

absl::Status WriteReference(const std::string& folder) {
  RETURN_IF_ERROR(files::CreateFolder(folder));
  const auto write = [&](const char* name, const std::string& text) {
    return files::WriteAtomically(files::Join(folder, name), text);
  };
  RETURN_IF_ERROR(write("commands.md", MarkdownOf(DescribeTree(*MakeCommandLine()))));
  RETURN_IF_ERROR(WriteAllPolicies(folder));
  RETURN_IF_ERROR(write("exit_codes.md", ExitCodeReference()));
  RETURN_IF_ERROR(write("expressions.md", expressions::ReferencePage()));
  RETURN_IF_ERROR(write("pipeline.md", config::Reference<supervisor::PipelineSpec>("Pipeline")));
  RETURN_IF_ERROR(
      write("pipeline.schema.json", config::Schema<supervisor::PipelineSpec>().dump(2) + "\n"));
  return write("system.md", config::Reference<SystemConfig>("System configuration"));
}

}  // namespace
}  // namespace tidemill::cli

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: tidemill-reference FOLDER\n");
    return tidemill::cli::kUsage;
  }
  return tidemill::cli::Report(tidemill::cli::WriteReference(argv[1]));
}

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
#include "selector/selector_config.h"
#include "storage/storage_config.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "trainer_server/trainer_config.h"

namespace tidemill::cli {
namespace {

std::string ExitCodeReference() {
  std::string page = "# Exit codes of `tidemill`\n\n| code | meaning |\n|---|---|\n";
  for (const ExitCodeMeaning& code : ExitCodeMeanings()) {
    page += fmt::format("| {} | {} |\n", code.code, code.meaning);
  }
  return page;
}

struct SystemConfig {
  static constexpr std::string_view kDoc =
      "The file that `--config` of every service names. `tidemill up` writes one.";
  rpc::ClusterConfig cluster;
  storage::StorageConfig storage;
  selector::SelectorConfig selector;
  trainer_server::TrainerConfig trainer_server;
  evaluator::EvaluatorConfig evaluator;
  preprocess::DispatcherConfig preprocess;
  preprocess::WorkerConfig preprocess_worker;
  void Fields(auto&& field) {
    field("cluster", cluster, "What all services share.", {.required = true});
    field("storage", storage, "The storage service.");
    field("selector", selector, "The selector service.");
    field("trainer_server", trainer_server, "The trainer server.");
    field("evaluator", evaluator, "The evaluator service.");
    field("preprocess", preprocess, "The dispatcher of preprocessing.");
    field("preprocess_worker", preprocess_worker, "A preprocessing worker.");
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

// Of what chooses samples.
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

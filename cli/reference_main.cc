// Writes docs/reference/: everything the programs can say about themselves.
#include <cstdio>
#include <string_view>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/command_line/command_tree.h"
#include "cli/terminal/exit_codes.h"
#include "cli/tidemill.h"
#include "config/config.h"
#include "config/reference_pages.h"
#include "config/schema_text.h"
#include "engine/engine_config.h"
#include "evaluator/evaluator_config.h"
#include "expressions/reference.h"
#include "prepared/prepared_config.h"
#include "preprocess/dispatcher/dispatcher_config.h"
#include "preprocess/worker/worker_config.h"
#include "rpc/service_main.h"
#include "rpc/usage/prices_config.h"
#include "selector/selector_config.h"
#include "storage/filesystems/storage_config.h"
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
  prepared::PreparedConfig prepared;
  engine::EngineConfig engine;
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
    field("prepared", prepared, "What each host keeps of prepared samples.");
    field("engine", engine,
          "What starts and ends workers and trainer servers by need. Without this section, nothing "
          "does.");
    field("prices", prices, "What users pay.");
  }
};

// What a row of a policy's table says, where the policy says it.
void AddRow(std::string& page, const char* name, std::string_view text) {
  if (!text.empty()) page += fmt::format("| {} | {} |\n", name, text);
}

// What a page of a policy says beside its keys.
std::string TextOf(const supervisor::TriggerText& text) {
  std::string page = "\n## How it decides\n\n| | |\n|---|---|\n";
  AddRow(page, "fires when", text.rule);
  AddRow(page, "decides", text.points);
  AddRow(page, "costs", text.cost);
  AddRow(page, "after", text.source);
  return page;
}

template <typename ChoiceText>
std::string TextOf(const ChoiceText& text) {
  std::string page = "\n## How it chooses\n\n| | |\n|---|---|\n";
  AddRow(page, "chooses", text.rule);
  AddRow(page, "weights", text.weights);
  AddRow(page, "costs", text.cost);
  AddRow(page, "after", text.source);
  return page;
}

// A kind of policy with a page for each of its policies.
template <typename Interface>
struct PolicyPages {
  const char* title;
  const char* folder;

  std::string FileOf(const config::Alternative<Interface>& policy) const {
    return fmt::format("{}/{}.md", folder, policy.type().tag);
  }
  void Assign(config::ReferencePages& pages) const {
    for (const auto& policy : Interface::Alternatives()) {
      pages.Assign(policy.type(), FileOf(policy));
    }
  }
  absl::Status Write(config::ReferencePages& pages, const std::string& into) const {
    RETURN_IF_ERROR(files::CreateFolder(files::Join(into, folder)));
    for (const auto& policy : Interface::Alternatives()) {
      const std::string page =
          pages.Write(policy.type(), fmt::format("{} `{}`", title, policy.type().tag),
                      FileOf(policy)) +
          TextOf(policy.make()->Text());
      RETURN_IF_ERROR(files::WriteAtomically(files::Join(into, FileOf(policy)), page));
    }
    return absl::OkStatus();
  }
};

// The pages of the pipeline's language: the file, and the policies.
absl::Status WritePipelineReference(const std::string& folder) {
  const PolicyPages<supervisor::Trigger> triggers{"Trigger policy", "triggers"};
  const PolicyPages<selector::Selection> selections{"Selection policy", "selection"};
  const PolicyPages<models::Downsampling> methods{"Downsampling method", "downsampling"};
  config::ReferencePages pages;
  triggers.Assign(pages);
  selections.Assign(pages);
  methods.Assign(pages);
  const std::string file = "pipeline.md";
  const std::string page = pages.Write<supervisor::PipelineSpec>("Pipeline", file);
  RETURN_IF_ERROR(files::WriteAtomically(files::Join(folder, file), page));
  RETURN_IF_ERROR(triggers.Write(pages, folder));
  RETURN_IF_ERROR(selections.Write(pages, folder));
  return methods.Write(pages, folder);
}

absl::Status WriteReference(const std::string& folder) {
  RETURN_IF_ERROR(files::CreateFolder(folder));
  const auto write = [&](const char* name, const std::string& text) {
    return files::WriteAtomically(files::Join(folder, name), text);
  };
  RETURN_IF_ERROR(write("commands.md", MarkdownOf(DescribeTree(*MakeCommandLine()))));
  RETURN_IF_ERROR(WritePipelineReference(folder));
  RETURN_IF_ERROR(write("exit_codes.md", ExitCodeReference()));
  RETURN_IF_ERROR(write("expressions.md", expressions::ReferencePage()));
  RETURN_IF_ERROR(write("pipeline.schema.json",
                        config::SchemaText(config::Schema<supervisor::PipelineSpec>()) + "\n"));
  return write("system.md",
               config::ReferencePages().Write<SystemConfig>("System configuration", "system.md"));
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

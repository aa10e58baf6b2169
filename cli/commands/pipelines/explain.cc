#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/command_line/set_flag.h"
#include "cli/commands/pipelines/commands.h"
#include "cli/pipelines/pipeline_file.h"
#include "cli/pipelines/plan_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/view.h"
#include "config/config.h"
#include "config/schema_text.h"
#include "expressions/reference.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::cli {
namespace {

int Explain(const GlobalFlags& flags, const std::string& key, bool schema) {
  if (schema) {
    fmt::print("{}\n", config::SchemaText(config::Schema<supervisor::PipelineSpec>()));
    return kDone;
  }
  const absl::StatusOr<std::string> text = key == "expressions"
                                               ? expressions::DescribeLanguage()
                                               : config::Explain<supervisor::PipelineSpec>(key);
  if (!text.ok()) return Report(text.status());
  if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"key", key}, {"text", *text}}).dump());
  } else {
    fmt::print("{}", *text);
  }
  return kDone;
}

// The graph of a pipeline file as it runs.
int ExplainPlan(const GlobalFlags& flags, const std::string& path,
                const std::vector<std::string>& set) {
  if (path.empty()) {
    return ReportUsage("--plan needs a pipeline file", "write: tidemill explain FILE --plan");
  }
  UsePluginSettings(flags);
  auto file = ReadPipelineFile(path);
  if (!file.ok()) return Report(file.status());
  file->overrides = OverridesOf(set);
  const supervisor::CheckedPipeline checked = CheckPipelineFile(*file);
  if (!checked.problems.empty()) return ReportProblems(checked.problems, flags.json);
  const absl::StatusOr<supervisor::GraphPlan> plan = supervisor::PlanGraph(checked);
  if (!plan.ok()) return Report(plan.status());
  if (flags.json) {
    nlohmann::ordered_json document = {{"file", path},
                                       {"dataset", checked.value.preprocess.dataset}};
    document.update(PlanToJson(*plan));
    fmt::print("{}\n", document.dump());
  } else {
    fmt::print("{}", DescribePlan(*plan, ViewOf(STDOUT_FILENO, /*full=*/false)));
  }
  return kDone;
}

}  // namespace

void AddExplainCommand(Command& app) {
  Command& explain = app.AddSubcommand(
      "explain", "Explain a key of the pipeline file, or how the graph of such a file runs");
  static std::string key;
  static bool schema = false;
  static bool plan = false;
  static std::vector<std::string> set;
  explain.AddOption(
      "key", key,
      "Path of a key, or expressions, for what they are made of (default: the whole file); with "
      "--plan, a pipeline file");
  explain.AddFlag("--schema", schema, "Print the JSON Schema of the pipeline file");
  explain.AddFlag(
      "--plan", plan,
      "Show the preprocessing graph of the file KEY as written and as it runs, and what "
      "both cost, measured for some seconds on samples of its dataset; needs no stack");
  AddSetFlag(explain, set);
  SetAction(explain, [](const GlobalFlags& flags) {
    return plan ? ExplainPlan(flags, key, set) : Explain(flags, key, schema);
  });
  explain.AddExample("tidemill explain training.optimizer");
  explain.AddExample("tidemill explain expressions");
  explain.AddExample("tidemill explain --schema > pipeline.schema.json");
  explain.AddExample("tidemill explain pipeline.yaml --plan");
}

}  // namespace tidemill::cli

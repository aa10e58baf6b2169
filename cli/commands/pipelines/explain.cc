#include <cstdio>
#include <string>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/commands/pipelines/commands.h"
#include "cli/terminal/exit_codes.h"
#include "config/config.h"
#include "expressions/reference.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::cli {
namespace {

int Explain(const GlobalFlags& flags, const std::string& key, bool schema) {
  if (schema) {
    fmt::print("{}\n", config::Schema<supervisor::PipelineSpec>().dump(2));
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

}  // namespace

void AddExplainCommand(Command& app) {
  Command& explain = app.AddSubcommand(
      "explain", "Explain a key of the pipeline file, such as training.optimizer");
  static std::string key;
  static bool schema = false;
  explain.AddOption(
      "key", key,
      "Path of a key, or expressions, for what they are made of (default: the whole file)");
  explain.AddFlag("--schema", schema, "Print the JSON Schema of the pipeline file");
  SetAction(explain, [](const GlobalFlags& flags) { return Explain(flags, key, schema); });
  explain.AddExample("tidemill explain training.optimizer");
  explain.AddExample("tidemill explain expressions");
  explain.AddExample("tidemill explain --schema > pipeline.schema.json");
}

}  // namespace tidemill::cli

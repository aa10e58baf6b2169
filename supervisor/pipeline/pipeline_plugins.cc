#include "supervisor/pipeline/pipeline_plugins.h"

#include <optional>
#include <utility>

#include "supervisor/pipeline/pipeline_files.h"

namespace tidemill::supervisor {
namespace {

// A stored pipeline holds its files. Missing files do not matter here.
class NoFiles final : public PipelineFiles {
 public:
  std::optional<std::string> Read(const std::string& /*name*/, size_t /*most*/,
                                  std::string_view /*field*/,
                                  config::Problems& /*problems*/) override {
    return std::nullopt;
  }
  std::optional<std::string> Keep(const std::string& /*name*/, std::string_view /*field*/,
                                  config::Problems& /*problems*/) override {
    return std::nullopt;
  }
  std::optional<Weights> KeepWeights(const models::StartFrom& /*start_from*/,
                                     std::string_view /*field*/,
                                     config::Problems& /*problems*/) override {
    return std::nullopt;
  }
};

void AddAll(std::vector<std::string> more, std::vector<std::string>& plugins) {
  for (std::string& plugin : more) {
    if (!plugin.empty()) plugins.push_back(std::move(plugin));
  }
}

}  // namespace

std::vector<std::string> PluginsOf(const PipelineSpec& spec) {
  std::vector<std::string> plugins;
  for (const auto& [name, dataset] : spec.datasets) {
    if (dataset) AddAll({dataset->format->RunsWith()}, plugins);
  }
  AddAll(config::AllRunsWith(spec.trigger), plugins);
  AddAll(transform::AllRunsWith(spec.preprocess.graph), plugins);
  if (spec.training.RunsProgram()) AddAll({spec.training.program.RunsWith()}, plugins);
  for (const models::Downsampling* const method : spec.training.downsampling->Methods()) {
    AddAll({method->RunsWith()}, plugins);
  }
  AddAll(config::AllRunsWith(spec.selection), plugins);
  for (const evaluator::EvaluationSpec& evaluation : spec.evaluation) {
    AddAll(evaluation.RunsWith(), plugins);
  }
  return plugins;
}

std::vector<std::string> PluginsNow(PipelineSpec spec) {
  NoFiles files;
  config::Problems problems;
  ReadInto(spec, files, problems);
  return PluginsOf(spec);
}

}  // namespace tidemill::supervisor

#include "supervisor/pipeline/trained_graph.h"

#include <algorithm>
#include <string>
#include <variant>

#include "transform/engine/op_builder.h"
#include "transform/target_scale.h"

namespace tidemill::supervisor {
namespace {

bool TakesLabelAsTarget(const transform::GraphSpec& graph) {
  return std::ranges::any_of(graph, [](const auto& op) {
    const auto* label = std::get_if<transform::LabelSpec>(&op.value);
    return label != nullptr && label->into == transform::kTargetColumn;
  });
}

}  // namespace

transform::GraphSpec TrainedGraph(const PipelineSpec& pipeline) {
  transform::GraphSpec graph = pipeline.preprocess.graph;
  const models::TrainingSpec& training = pipeline.training;
  const bool is_wanted =
      !training.loss->IsOfClasses() && training.standardize_target.value_or(true);
  if (is_wanted && TakesLabelAsTarget(graph) && !transform::StandardizesTarget(graph)) {
    graph.push_back({transform::StandardizeSpec{
        .columns = {.all = false, .names = {std::string(transform::kTargetColumn)}}}});
  }
  return graph;
}

}  // namespace tidemill::supervisor

#include "supervisor/checks/trained_graph.h"

#include <algorithm>

#include "transform/target_scale.h"

namespace tidemill::supervisor {
namespace {

bool TakesLabelAsTarget(const transform::GraphSpec& graph) {
  return std::ranges::any_of(
      graph, [](const auto& op) { return op.value->Target() == transform::TargetMade::kLabel; });
}

}  // namespace

transform::GraphSpec TrainedGraph(const PipelineSpec& pipeline) {
  transform::GraphSpec graph = pipeline.preprocess.graph;
  const models::TrainingSpec& training = pipeline.training;
  const bool is_wanted =
      !training.loss->IsOfClasses() && training.standardize_target.value_or(true);
  if (is_wanted && TakesLabelAsTarget(graph) && !transform::StandardizesTarget(graph)) {
    transform::StandardizeTarget(graph);
  }
  return graph;
}

}  // namespace tidemill::supervisor

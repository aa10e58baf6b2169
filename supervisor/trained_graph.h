// The graph that models of a pipeline are trained with.
#pragma once

#include "supervisor/pipeline_spec.h"
#include "transform/graph_spec.h"

namespace tidemill::supervisor {

// The graph of `preprocess`, which at last standardises a target that is a real label, unless it
// does so already or `training.standardize_target` is false. The trainer stores it with each model.
transform::GraphSpec TrainedGraph(const PipelineSpec& pipeline);

}  // namespace tidemill::supervisor

// The graph that models of a pipeline are trained with.
#pragma once

#include "supervisor/pipeline/pipeline_spec.h"
#include "transform/graph_spec.h"

namespace tidemill::supervisor {

// The graph of `preprocess`, which at last standardises a target that is a real label, unless it
// does so already or `training.standardize_target` is false. It is written into a pipeline that is
// submitted, so that runs of before, and their models, keep what they have learned.
transform::GraphSpec TrainedGraph(const PipelineSpec& pipeline);

}  // namespace tidemill::supervisor

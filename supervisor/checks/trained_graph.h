// The graph with which the models of a pipeline are trained.
#pragma once

#include "supervisor/pipeline/pipeline_spec.h"
#include "transform/graph_spec.h"

namespace tidemill::supervisor {

// Returns the graph of `preprocess`, followed by an op that standardises a target that is a real
// label. The op is not added when the graph does so already, or when `training.standardize_target`
// is false. It is written into a pipeline when it is submitted, so that earlier runs and their
// models keep what they have learned.
transform::GraphSpec TrainedGraph(const PipelineSpec& pipeline);

}  // namespace tidemill::supervisor

// The graph of a pipeline as it is written and as it runs, and what both cost.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "supervisor/checks/pipeline_check.h"
#include "transform/graph.h"
#include "transform/graph_costs.h"

namespace tidemill::supervisor {

struct GraphPlan {
  transform::Graph written;
  transform::Graph running;
  // Measured now, on the samples that the check has read.
  std::optional<transform::CostComparison> costs = std::nullopt;
  // Why there are no costs, worded to follow a colon.
  std::string no_costs = {};
};

// `checked` must have no problems. FAILED_PRECONDITION when the spec of the dataset, or the columns
// that rules of the graph choose, are not known here. Else the errors of Graph::Build().
absl::StatusOr<GraphPlan> PlanGraph(const CheckedPipeline& checked);

}  // namespace tidemill::supervisor

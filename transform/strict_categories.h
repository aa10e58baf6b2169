// Finds values that are none of the categories of a graph.
#pragma once

#include <optional>

#include "transform/graph_spec.h"

namespace tidemill::transform {

// Returns the graph with `unknown: bad_sample` for each op that otherwise makes zeros of a value
// that is not a category. The samples that both graphs let through give the same. std::nullopt when
// there is no such op.
std::optional<GraphSpec> RejectUnknownCategories(const GraphSpec& graph);

}  // namespace tidemill::transform

// Finds values that ops of a graph do not know: texts that are none of the categories, and keys
// without a row in a table.
#pragma once

#include <optional>

#include "transform/graph_spec.h"

namespace tidemill::transform {

// Returns the graph with each op that otherwise makes zeros of a value that is not a category, or
// something of a key without a row, rejecting the sample. The samples that both graphs let through
// give the same. std::nullopt when there is no such op.
std::optional<GraphSpec> RejectUnknown(const GraphSpec& graph);

// Does the same for the op at place `op` alone.
std::optional<GraphSpec> RejectUnknown(const GraphSpec& graph, size_t op);

}  // namespace tidemill::transform

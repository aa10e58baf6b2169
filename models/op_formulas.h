// The formulas of ops, for those who prepare samples without Tidemill.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "transform/graph_spec.h"

namespace tidemill::models {

// Returns a list in Markdown: each op of the graph by its place from 1, with its formula.
// `spec.yaml` has the settings. Empty for a graph without ops.
std::string ListFormulas(const transform::GraphSpec& graph);

// How a user makes the columns of an op with a table, and the name of the file with the table.
// std::nullopt for an op without one.
std::optional<transform::ByHand> TableOf(const transform::GraphSpec& graph, size_t op);
std::string TableFileOf(const transform::GraphSpec& graph, size_t op);

}  // namespace tidemill::models

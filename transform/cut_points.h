// The places where a graph can be cut, so that rows can be kept there (cut_graph.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "transform/graph.h"

namespace tidemill::transform {

// A place where a graph can be cut. Before it no op is random, and after it none reads records.
struct CutPoint {
  // The first ops of Graph::order() that run before it.
  int num_ops = 0;
  // The last of them, by its place as written, from 0.
  int last_op = 0;
  // The columns that the model or later ops take from before it. None holds texts.
  std::vector<BoundColumn> columns = {};
  // The bytes of a row in all columns.
  int64_t row_bytes = 0;
  // Whether an op before it learns from samples.
  bool learns = false;
};

// Returns the places where the graph can be cut, in the order in which the ops run. There are none
// when a random op runs before the last one that reads records.
std::vector<CutPoint> CutPointsOf(const Graph& graph);

// Returns the point after an op, which is named by its type or by its place as written, from 1.
// INVALID_ARGUMENT when there is no such op, when several have the type, or when nothing can be
// kept after it, with the reason.
absl::StatusOr<CutPoint> CutPointAfter(const Graph& graph, std::string_view op);

}  // namespace tidemill::transform

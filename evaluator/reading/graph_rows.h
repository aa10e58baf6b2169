// Runs the graph of models on samples.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/reading/prepared_graph.h"
#include "loader/training_set.h"
#include "transform/graph.h"

namespace tidemill::evaluator {

// What a graph makes of samples.
struct GraphRows {
  // The good samples, in their order. The columns are `key`, `input`, `input_...` and, if the graph
  // makes it, `target`. There may be neither rows nor columns.
  batch::Batch rows = {};
  // The samples that the graph could not transform.
  std::vector<loader::Unreadable> bad = {};
  int64_t num_filtered = 0;
};

// Runs a graph for models that are measured: nothing is random, and targets keep their units.
// `counters` are as in Graph::Run(). Returns the errors of Graph::Run().
absl::StatusOr<GraphRows> RunGraph(const PreparedGraph& graph, const batch::Batch& samples,
                                   transform::OpCounters* counters = nullptr);

}  // namespace tidemill::evaluator

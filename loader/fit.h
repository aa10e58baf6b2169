// The fit stage: learns the parameters of a graph's ops from a training set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "loader/training_set.h"
#include "transform/fitted_state.h"
#include "transform/graph.h"

namespace tidemill::loader {

// How samples are read ahead of the fitter.
struct FitOptions {
  int num_threads = 2;
  int64_t bytes_ahead = int64_t{64} << 20;
};

struct FittedGraph {
  transform::FittedState state;
  std::vector<std::string> warnings;
};

// Gives the graph's fitter the samples in the order of their ordinals, once per pass. Reads nothing
// when the graph learns nothing. Unreadable samples are skipped. The result depends on the set and
// the samples only. FAILED_PRECONDITION when no sample is good.
absl::StatusOr<FittedGraph> FitGraph(const transform::Graph& graph, const TrainingSet& set,
                                     const SampleReader& reader, const FitOptions& options);

}  // namespace tidemill::loader

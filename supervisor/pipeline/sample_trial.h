// Tries a graph on the samples that a look at a dataset has shown.
#pragma once

#include <vector>

#include "config/remark.h"
#include "supervisor/pipeline/dataset_peek.h"
#include "transform/graph.h"

namespace tidemill::supervisor {

// Returns what of the samples the graph cannot turn into numbers. It is an error when that is more
// than `max_bad_fraction` of the samples at the places that tell (part_check.h); otherwise they are
// left out of trainings. The beginning of a CSV file is not tried here but by TryFields(). A graph
// that learns from the samples learns from those that were seen; one that cannot is not tried.
std::vector<config::Remark> TrySamples(const DatasetPeek& peek, const storage::DatasetSpec& spec,
                                       const transform::Graph& graph, double max_bad_fraction);

}  // namespace tidemill::supervisor

// Tries a graph on samples that were read from a dataset.
#pragma once

#include <vector>

#include "config/remark.h"
#include "supervisor/checks/dataset_peek.h"
#include "transform/graph.h"

namespace tidemill::supervisor {

// Returns the samples that the graph cannot turn into numbers. It is an error when they are more
// than `max_bad_fraction` of the samples at the telling places (part_check.h); otherwise they are
// left out of trainings. The beginning of a CSV file is not tried here but by TryFields(). A graph
// that learns from samples learns from the samples that were read; if it cannot, it is not tried.
// Also reports samples without a row in a table, and of categories that most samples are none of.
// `graph` is built of `ops`.
std::vector<config::Remark> TrySamples(const DatasetPeek& peek, const storage::DatasetSpec& spec,
                                       const transform::Graph& graph,
                                       const transform::GraphSpec& ops, double max_bad_fraction);

}  // namespace tidemill::supervisor

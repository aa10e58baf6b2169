// Makes rows in two parts: what was prepared before the cut of a graph is found where it is kept,
// and the rest is read and prepared.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "base/status.h"
#include "loader/path/path_work.h"
#include "loader/prepared/sample_cache.h"
#include "loader/training_set.h"
#include "transform/graph.h"

namespace tidemill::loader {

// What rows are made of.
struct CutRowsSetup {
  const TrainingSet& set;
  const SampleReader& reader;
  const SampleCache& cache;
  const OpenCut& cut;
  transform::RunContext context = {};
};

// Returns the rows of the samples with these ordinals, in that order, and the samples that are bad
// or filtered. The rows are those of Graph::Run(), with the column `ordinal`. All must fit into
// memory at once. CANCELLED when `stop` is requested.
absl::StatusOr<Rows> MakeCutRows(const CutRowsSetup& setup, std::span<const int64_t> ordinals,
                                 PathCounters& counters, const std::stop_token& stop);

// Adds the keys of samples that are neither good nor bad, in the order of the samples.
void AddFiltered(std::span<const int64_t> keys, std::span<const int64_t> good,
                 const std::vector<transform::BadSample>& bad, std::vector<int64_t>& filtered);

}  // namespace tidemill::loader

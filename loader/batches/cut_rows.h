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

// Counts of samples whose rows were looked for.
struct PreparedCounts {
  int64_t found = 0;  // They were kept before, whatever their state.
  int64_t good = 0;   // The following were prepared now.
  int64_t bad = 0;
  int64_t filtered = 0;
  int64_t unreadable = 0;  // Storage cannot serve them.

  int64_t total() const { return found + good + bad + filtered + unreadable; }
  PreparedCounts& operator+=(const PreparedCounts& other) {
    found += other.found;
    good += other.good;
    bad += other.bad;
    filtered += other.filtered;
    unreadable += other.unreadable;
    return *this;
  }
};

// Prepares and keeps the rows of these samples, without those that are kept already. The ops after
// the cut do not run. Adds to `counts`.
absl::Status PrepareRows(const CutRowsSetup& setup, std::span<const int64_t> ordinals,
                         PathCounters& counters, PreparedCounts& counts,
                         const std::stop_token& stop);

// Adds the keys of samples that are neither good nor bad, in the order of the samples.
void AddFiltered(std::span<const int64_t> keys, std::span<const int64_t> good,
                 const std::vector<transform::BadSample>& bad, std::vector<int64_t>& filtered);

}  // namespace tidemill::loader

// Measures what the ops of a graph cost, as it is written and as it runs (transform/rewrite/).
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "transform/fitted_state.h"
#include "transform/graph.h"

namespace tidemill::transform {

// An op's share of a sample that the graph is given, on average. It counts nothing for the samples
// that were filtered before.
struct OpCost {
  double microseconds = 0;  // By the wall clock.
  // The bytes of the columns that the op reads; for one that reads none, those of the sample.
  double bytes_read = 0;
  double bytes_made = 0;
};

struct GraphCosts {
  // By the place of the op as written. An op that is left out costs nothing.
  std::vector<OpCost> ops = {};
  // For the whole graph: the sum of what its ops are expected to take, and what it took.
  double predicted_microseconds = 0;
  double measured_microseconds = 0;
};

struct CostComparison {
  int64_t num_samples = 0;  // Given.
  int64_t block_rows = 0;   // In the block that was run, which repeats them.
  int num_rounds = 0;
  GraphCosts written = {};
  GraphCosts running = {};
};

// Runs two graphs of one spec on the samples in turn, on this thread, for a second or two.
// `written` is built without rewriting, `running` with it. Each time is the median of its rounds.
// The prediction for `written` adds up what its ops take. For `running`, the time of each op is
// scaled by the bytes that it reads and makes where it runs, except for an op that makes smaller
// images, which counts with what it took. There must be samples. Returns the errors of
// Graph::Run().
absl::StatusOr<CostComparison> CompareCosts(const Graph& written, const Graph& running,
                                            const batch::Batch& samples, const FittedState& fitted);

}  // namespace tidemill::transform

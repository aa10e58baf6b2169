// A graph in two parts, so that rows can be kept between them: what the first part makes of a
// sample does not change from epoch to epoch.
//
//   record --[ decode_image | resize ]-- kept rows --[ random_crop | cast ]-- tensors
//             Prepare()                                Finish()
//
// Finish(Prepare(samples)) is Graph::Run(samples), to the last bit, with the same bad and filtered
// samples for the same reasons.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "transform/cut_points.h"
#include "transform/graph.h"

namespace tidemill::transform {

// What the first part makes of a block of samples.
struct PreparedBlock {
  // The good samples in the order of the block. The columns are those of the samples without
  // `payload`, then one for each column of the cut, in its order, named by NameOfKept().
  batch::Batch rows = {};
  // The others, by their row in the block.
  std::vector<BadSample> bad = {};
  std::vector<int64_t> filtered = {};
};

// Returns the name of the column `index` of a cut in kept rows.
std::string NameOfKept(size_t index);

// Immutable, so thread-safe. Shares the graph.
class CutGraph {
 public:
  // `point` must be one of CutPointsOf(*graph).
  CutGraph(std::shared_ptr<const Graph> graph, CutPoint point);

  const CutPoint& point() const { return point_; }
  const Graph& graph() const { return *graph_; }

  // Returns the SHA-256, in hexadecimal, of everything that kept rows depend on besides the
  // samples: the ops before the cut, what they have learned, the schema of the samples, the columns
  // that are kept, and the version of the program. Graphs that begin alike and are cut alike have
  // the same. `fitted` is as in Graph::Run(), and not needed where no op before the cut learns;
  // `standardize_target` is as in RunContext.
  absl::StatusOr<std::string> Digest(const FittedState* fitted, bool standardize_target) const;

  // Runs the ops before the cut. The errors, and the other parameters, are those of Graph::Run().
  absl::StatusOr<PreparedBlock> Prepare(const batch::Batch& samples, const FittedState* fitted,
                                        const RunContext& context, OpCounters* counters) const;

  // Runs the ops after the cut on kept rows: columns as in PreparedBlock::rows. Bad samples have
  // their row in `rows`.
  absl::StatusOr<Transformed> Finish(const batch::Batch& rows, const FittedState* fitted,
                                     const RunContext& context, OpCounters* counters) const;

 private:
  absl::StatusOr<std::optional<PreparedBlock>> PrepareRows(const batch::Batch& samples,
                                                           const FittedState* fitted,
                                                           const RunContext& context,
                                                           OpCounters* counters) const;

  const std::shared_ptr<const Graph> graph_;
  const CutPoint point_;
  std::vector<Graph::BoundStage> before_;
  std::vector<Graph::BoundStage> after_;
};

}  // namespace tidemill::transform

// Makes the batches of a plan: reads samples, runs the graph over them and cuts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_cutter.h"
#include "loader/batches/batch_ordinals.h"
#include "loader/batches/batch_parts.h"
#include "loader/batches/batch_plan.h"
#include "loader/batches/batch_windows.h"
#include "loader/batches/row_groups.h"
#include "loader/batches/row_maker.h"
#include "loader/path_work.h"

namespace tidemill::loader {

// Any batch may be made at any time and as often as one likes: what is in it depends on the set,
// the plan and the samples alone, never on threads, processes or what was made before. Random ops
// draw by the shuffle's seed and trigger, the epoch and the ordinal. Thread-safe.
class BatchMaker {
 public:
  // INVALID_ARGUMENT for a graph without target, batches of no samples, or buckets of a column
  // whose rows have no length.
  static absl::StatusOr<std::unique_ptr<const BatchMaker>> Create(BatchParts parts,
                                                                  const BatchPlan& plan);
  BatchMaker(const BatchMaker&) = delete;
  BatchMaker& operator=(const BatchMaker&) = delete;

  // Samples of an epoch in this slice, and batches of an epoch.
  int64_t num_samples() const;
  int64_t num_batches() const { return ordinals_.num_batches(); }
  // Of the whole plan, all epochs; batches are numbered from 0 through them.
  int64_t end() const { return num_batches() * plan().epochs; }
  const BatchPlan& plan() const { return ordinals_.plan(); }
  // Samples of a batch of this slice, holes included.
  int64_t SamplesOf(int64_t number) const;

  // Bytes that a full batch of this slice takes, about.
  int64_t batch_bytes() const;
  // Batches that are best made together, so that what a call costs is paid for many samples; at
  // most `bytes` of them, at least one. With buckets: whole windows, if one begins at a multiple of
  // it, at least one window.
  int64_t BatchesTogether(int64_t bytes) const;

  // Makes batches [from, to), counted through all epochs. CANCELLED once `stop` is requested.
  absl::StatusOr<std::vector<TrainingBatch>> Make(int64_t from, int64_t to,
                                                  const std::stop_token& stop) const;
  // Makes batches in steps.
  const RowGroupMaker& row_groups() const { return row_groups_; }

  // What making took so far.
  PathWork work() const { return counters_->Snapshot(); }

 private:
  // `width` is that of the column of the buckets, if there are any.
  BatchMaker(BatchParts parts, const BatchPlan& plan, int64_t width);
  absl::StatusOr<std::vector<TrainingBatch>> MakeOfEpoch(int64_t from, int64_t to,
                                                         const std::stop_token& stop) const;

  const BatchParts parts_;
  const std::unique_ptr<PathCounters> counters_;
  const BatchOrdinals ordinals_;
  const RowMaker rows_;
  const BatchCutter cutter_;
  const RowGroupMaker row_groups_;
  std::optional<const BatchWindows> windows_;  // Of a plan with buckets.
};

}  // namespace tidemill::loader

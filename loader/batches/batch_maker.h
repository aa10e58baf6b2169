// Makes the batches of a plan: reads samples, runs the graph on them, and cuts batches.
#pragma once

#include <atomic>
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
#include "loader/batches/row_maker.h"
#include "loader/batches/shared_rows.h"
#include "loader/path/path_work.h"

namespace tidemill::loader {

// Any batch may be made at any time, and several times. Its content depends on the set, the plan
// and the samples alone, never on threads, processes or earlier batches. Random ops draw by the
// shuffle's seed and trigger, the epoch and the ordinal. Thread-safe.
class BatchMaker {
 public:
  // INVALID_ARGUMENT for a graph without a target, for batches of no samples, or for buckets of a
  // column whose rows have no length.
  static absl::StatusOr<std::unique_ptr<const BatchMaker>> Create(BatchParts parts,
                                                                  const BatchPlan& plan);
  BatchMaker(const BatchMaker&) = delete;
  BatchMaker& operator=(const BatchMaker&) = delete;

  // The number of samples of an epoch in this slice, and the number of batches of an epoch.
  int64_t num_samples() const;
  int64_t num_batches() const { return ordinals_.num_batches(); }
  // The number of batches of the whole plan, over all epochs. Batches are numbered from 0 through
  // all epochs.
  int64_t end() const { return num_batches() * plan().epochs; }
  const BatchPlan& plan() const { return ordinals_.plan(); }
  // Returns the batch with this number, without rows.
  TrainingBatch Numbered(int64_t number) const { return ordinals_.Numbered(number); }

  // Returns the approximate bytes of a full batch of this slice.
  int64_t batch_bytes() const;
  // Returns how many batches should be made together, so that many samples share the cost of a
  // call. They take at most `bytes`, but there is at least one. With buckets, they are whole
  // windows if the first begins at a multiple of the result; at least one window.
  int64_t BatchesTogether(int64_t bytes) const;

  // Makes the batches [from, to), counted through all epochs. CANCELLED when `stop` is requested.
  absl::StatusOr<std::vector<TrainingBatch>> Make(int64_t from, int64_t to,
                                                  const std::stop_token& stop) const;

  // Returns the work of making batches so far.
  PathWork work() const;

 private:
  // `width` is the width of the buckets' column, if there is one.
  BatchMaker(BatchParts parts, const BatchPlan& plan, int64_t width);
  // Returns the number of samples of a batch in this slice, including holes.
  int64_t SamplesOf(int64_t number) const;
  absl::StatusOr<std::vector<TrainingBatch>> MakeOfEpoch(int64_t from, int64_t to,
                                                         const std::stop_token& stop) const;

  const BatchParts parts_;
  const std::unique_ptr<PathCounters> counters_;
  const BatchOrdinals ordinals_;
  const RowMaker rows_;
  const BatchCutter cutter_;
  const std::unique_ptr<SharedRows> shared_;   // nullptr when nothing is shared.
  mutable std::atomic<int64_t> busy_ns_ = 0;   // The most that work() has returned.
  std::optional<const BatchWindows> windows_;  // For a plan with buckets.
};

}  // namespace tidemill::loader

// Makes rows from samples: reads the samples and runs the graph on them.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "base/status.h"
#include "batch/batch.h"
#include "loader/batches/batch_ordinals.h"
#include "loader/batches/batch_parts.h"
#include "loader/path/path_work.h"
#include "loader/prepared/sample_cache.h"
#include "loader/training_set.h"

namespace tidemill::loader {

// Samples that could not be read or transformed are left out, listed, and reported to
// BatchParts::bad. Thread-safe.
class RowMaker {
 public:
  // The arguments must outlive this object.
  RowMaker(const BatchParts& parts, const BatchOrdinals& ordinals, PathCounters& counters)
      : parts_(parts), ordinals_(ordinals), counters_(counters) {}

  // Returns the rows of the samples with these ordinals, in that order, as the batch with this
  // number has them. Random ops draw differently in each epoch, so all samples belong to this
  // batch's epoch. With buckets, their column is ragged. CANCELLED when `stop` is requested.
  absl::StatusOr<Rows> Make(std::span<const int64_t> ordinals, int64_t number,
                            const std::stop_token& stop) const;

 private:
  transform::RunContext ContextOf(int64_t number) const;
  absl::StatusOr<Rows> MakeInTwoParts(const OpenCut& cut, std::span<const int64_t> ordinals,
                                      int64_t number, const std::stop_token& stop) const;
  absl::Status Transform(const transform::RunContext& context, batch::Batch& piece,
                         Rows& rows) const;
  // Returns the number of samples of a full batch in this slice.
  int64_t SamplesOfBatch() const;
  // Returns the number of samples for one run of the graph.
  int64_t SamplesAtOnce() const;

  const BatchParts& parts_;
  const BatchOrdinals& ordinals_;
  PathCounters& counters_;
};

}  // namespace tidemill::loader

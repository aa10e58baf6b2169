// Makes rows out of samples: reads them and runs the graph over them.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "base/status.h"
#include "batch/batch.h"
#include "loader/batches/batch_ordinals.h"
#include "loader/batches/batch_parts.h"
#include "loader/path_work.h"
#include "loader/training_set.h"

namespace tidemill::loader {

// Samples that could not be read or transformed are left out, named, and told to BatchParts::bad.
// Thread-safe.
class RowMaker {
 public:
  // What it is given must outlive it.
  RowMaker(const BatchParts& parts, const BatchOrdinals& ordinals, PathCounters& counters)
      : parts_(parts), ordinals_(ordinals), counters_(counters) {}

  // The rows of the samples with these ordinals, in that order, as the batch with this number has
  // them: random ops draw differently in each epoch, so all samples belong to one. With buckets
  // their column is ragged. CANCELLED once `stop` is requested.
  absl::StatusOr<Rows> Make(std::span<const int64_t> ordinals, int64_t number,
                            const std::stop_token& stop) const;

  // The two steps of Make(), for whoever takes them apart. The samples with these ordinals as they
  // were read, in that order. CANCELLED once `stop` is requested.
  absl::StatusOr<Rows> ReadSamples(std::span<const int64_t> ordinals,
                                   const std::stop_token& stop) const;
  // The rows of samples of the batch with this number: one piece, perhaps without rows.
  absl::StatusOr<Rows> RunGraph(int64_t number, batch::Batch samples) const;

 private:
  transform::RunContext ContextOf(int64_t number) const;
  absl::Status Transform(const transform::RunContext& context, batch::Batch& piece,
                         Rows& rows) const;
  // How many samples the graph is run over at once.
  int64_t SamplesAtOnce() const;
  void Tell(const Rows& rows) const;

  const BatchParts& parts_;
  const BatchOrdinals& ordinals_;
  PathCounters& counters_;
};

}  // namespace tidemill::loader

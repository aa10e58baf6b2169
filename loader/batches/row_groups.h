// A batch in steps, for whoever runs its rows through the graph apart from each other: first the
// samples are read, then each group of them is transformed, then rows are put together, all of them
// or some.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_cutter.h"
#include "loader/batches/batch_ordinals.h"
#include "loader/batches/row_maker.h"
#include "loader/path_work.h"
#include "loader/training_set.h"

namespace tidemill::loader {

// The samples of a batch.
struct RowGroups {
  int64_t number = 0;
  // The ordinals of the batch, in its order, and what could be read of them, cut into groups.
  std::vector<int64_t> wanted = {};
  std::vector<batch::Batch> groups = {};
  std::vector<Unreadable> bad = {};
};

// Thread-safe.
class RowGroupMaker {
 public:
  // What it is given must outlive it.
  RowGroupMaker(const BatchOrdinals& ordinals, const RowMaker& rows, const BatchCutter& cutter,
                PathCounters& counters)
      : ordinals_(ordinals), rows_(rows), cutter_(cutter), counters_(counters) {}

  // Reads batches [from, to), in groups of at most so many rows. CANCELLED once `stop` is
  // requested.
  absl::StatusOr<std::vector<RowGroups>> Read(int64_t from, int64_t to, int64_t rows_of_group,
                                              const std::stop_token& stop) const;
  // Runs the graph over a group of that batch: one piece, perhaps without rows.
  absl::StatusOr<Rows> RunGraph(int64_t number, batch::Batch group) const;
  // A batch of the rows with these ordinals of it, as far as `rows` has them; what it has not is
  // skipped. The pieces must stand in the order of the ordinals.
  absl::StatusOr<TrainingBatch> PutTogether(int64_t number, std::vector<int64_t> ordinals,
                                            const Rows& rows) const;

 private:
  absl::Status ReadOfEpoch(int64_t from, int64_t to, int64_t rows_of_group,
                           const std::stop_token& stop, std::vector<RowGroups>& into) const;

  const BatchOrdinals& ordinals_;
  const RowMaker& rows_;
  const BatchCutter& cutter_;
  PathCounters& counters_;
};

}  // namespace tidemill::loader

// Makes a batch in steps, for callers that run its rows through the graph separately. First the
// samples are read. Then each group of them is transformed. Then all rows, or some, are combined.
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
  // The ordinals of the batch, in its order, and the samples that could be read, divided into
  // groups.
  std::vector<int64_t> wanted = {};
  std::vector<batch::Batch> groups = {};
  std::vector<Unreadable> bad = {};
};

// Thread-safe.
class RowGroupMaker {
 public:
  // The arguments must outlive this object.
  RowGroupMaker(const BatchOrdinals& ordinals, const RowMaker& rows, const BatchCutter& cutter,
                PathCounters& counters)
      : ordinals_(ordinals), rows_(rows), cutter_(cutter), counters_(counters) {}

  // Reads the batches [from, to) in groups of at most `rows_of_group` rows. CANCELLED when `stop`
  // is requested.
  absl::StatusOr<std::vector<RowGroups>> Read(int64_t from, int64_t to, int64_t rows_of_group,
                                              const std::stop_token& stop) const;
  // Runs the graph on a group of the batch. Returns one piece, which may have no rows.
  absl::StatusOr<Rows> RunGraph(int64_t number, batch::Batch group) const;
  // Returns a batch with the rows of these ordinals, which belong to it. Ordinals without a row are
  // skipped. The pieces must be in the order of the ordinals.
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

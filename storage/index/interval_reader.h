// Lists an interval of a dataset's stream under a snapshot, a batch at a time.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "batch/batch.h"
#include "storage/index/dataset_index.h"
#include "storage/index/event_time_order.h"
#include "storage/index/list_columns.h"

namespace tidemill::storage {

// Of the samples before a cut, and not before that of the horizon ahead, those with greater keys
// came late and are left out.
struct SampleHorizon {
  Cut before;
  int64_t committed_key = 0;
};

struct IntervalQuery {
  // The snapshot.
  int64_t committed_key = 0;
  int64_t tombstone_sequence = 0;
  // std::nullopt: from the beginning, to the end.
  std::optional<Cut> from = std::nullopt;
  std::optional<Cut> to = std::nullopt;
  bool with_labels = false;
  // The slice of worker `worker_index` of `num_workers`; 0 workers: everything. The slices are
  // contiguous, partition the interval and differ by at most one sample in size.
  int32_t num_workers = 0;
  int32_t worker_index = 0;
  // Only samples with greater keys.
  int64_t after_key = 0;
  // Ascending.
  std::vector<SampleHorizon> horizons = {};
};

// Thread-compatible. Keeps the index it reads alive. Where keys are in the order of time it passes
// over runs of rows, not over rows, and copies no column: what is deleted, too new or came late
// cuts the runs.
class IntervalReader {
 public:
  // INVALID_ARGUMENT for a worker outside its number.
  static absl::StatusOr<IntervalReader> Create(std::shared_ptr<const DatasetIndex> index,
                                               const IntervalQuery& query);

  // The next batch of at most `most_rows` rows and 65,536, with the columns key, event_time and
  // perhaps class_label and real_label; std::nullopt at the end.
  absl::StatusOr<std::optional<batch::Batch>> Next(int64_t most_rows);

 private:
  IntervalReader(std::shared_ptr<const DatasetIndex> index, const IntervalQuery& query);
  void SeekNewer();
  // The next rows that follow one another in their segment and are all listed, at most `max_rows`;
  // std::nullopt at the end.
  std::optional<RowRun> NextRun(int64_t max_rows);
  std::optional<RowRun> NextRunByKey(int64_t max_rows);
  std::optional<RowRun> NextRunByPosition(int64_t max_rows);
  // Leaves out what belongs to workers before this one, and after it.
  std::optional<RowRun> NextRunOfWorker(int64_t max_rows);
  SampleLocation At(int64_t position) const;
  bool Holds(const SampleLocation& sample);
  bool IsDeleted(int64_t key) const;
  // Passes the horizons that end at or before a place.
  void PassHorizons(const Cut& place);
  // The greatest key that the snapshot and the horizon ahead let through.
  int64_t KeyLimit() const;
  int64_t CountRest() const;

  std::shared_ptr<const DatasetIndex> index_;  // Shared with other readers and the SampleIndex.
  IntervalQuery query_;
  // Of the index; nullptr with `after_key`: then positions count the rows of `newer_rows_`, which
  // are those of the interval in their order.
  const EventTimeOrder* order_ = nullptr;
  std::vector<int64_t> newer_rows_;
  // Those that the snapshot leaves out, ascending.
  std::vector<int64_t> deleted_keys_;
  int64_t position_ = 0;
  int64_t end_ = 0;
  size_t horizon_ = 0;  // The index of the one ahead.
  int64_t num_to_skip_ = 0;
  int64_t num_to_take_;
};

}  // namespace tidemill::storage

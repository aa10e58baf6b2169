// Lists an interval of a dataset's stream under a snapshot, batch by batch.
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

// Applies to the samples before a cut, from the cut of the previous horizon on. Samples with
// greater keys came late and are left out.
struct SampleHorizon {
  Cut before;
  int64_t committed_key = 0;
};

struct IntervalQuery {
  // The snapshot.
  int64_t committed_key = 0;
  int64_t tombstone_sequence = 0;
  // `from` is std::nullopt for the beginning, `to` for the end.
  std::optional<Cut> from = std::nullopt;
  std::optional<Cut> to = std::nullopt;
  bool with_labels = false;
  // The slice of worker `worker_index` out of `num_workers`; 0 workers means everything. The slices
  // are contiguous and partition the interval. Their sizes differ by at most one sample.
  int32_t num_workers = 0;
  int32_t worker_index = 0;
  // Only samples with greater keys are listed.
  int64_t after_key = 0;
  // Ascending.
  std::vector<SampleHorizon> horizons = {};
  // The number of rows at the beginning of the slice that were already listed.
  int64_t num_listed = 0;
};

// Thread-compatible. Keeps the index that it reads alive. When keys are in the order of time, it
// goes through runs of rows rather than single rows, and copies no column. Samples that are
// deleted, too new or late interrupt the runs.
class IntervalReader {
 public:
  // INVALID_ARGUMENT when the worker's index is not below the number of workers. DATA_LOSS as
  // Next().
  static absl::StatusOr<IntervalReader> Create(std::shared_ptr<const DatasetIndex> index,
                                               const IntervalQuery& query);

  // Returns the next batch of at most `most_rows` rows, and at most 65,536. The columns are key,
  // event_time and, on request, class_label and real_label. std::nullopt at the end. DATA_LOSS when
  // a column file is damaged. Then create another reader, of a refreshed index, with `num_listed`.
  absl::StatusOr<std::optional<batch::Batch>> Next(int64_t most_rows);

 private:
  IntervalReader(std::shared_ptr<const DatasetIndex> index, const IntervalQuery& query);
  // Finds the rows of the interval.
  absl::Status Seek();
  void SeekNewer();
  // The place of a sample. Notes when its time is not sound.
  Cut PlaceOf(const SampleLocation& sample);
  int64_t EndBefore(const IndexedSegment& segment, int64_t from, int64_t to, const Cut& cut);
  // Returns the next rows that follow one another in their segment and are all listed, at most
  // `max_rows`. std::nullopt at the end.
  std::optional<RowRun> NextRun(int64_t max_rows);
  std::optional<RowRun> NextRunByKey(int64_t max_rows);
  std::optional<RowRun> NextRunByPosition(int64_t max_rows);
  // Does the same, but leaves out the rows of the workers before and after this one.
  std::optional<RowRun> NextRunOfWorker(int64_t max_rows);
  SampleLocation At(int64_t position) const;
  bool Holds(const SampleLocation& sample);
  // Returns the first key from `from` to before `end` that the snapshot leaves out, or `end`.
  int64_t FirstDeleted(int64_t from, int64_t end) const;
  // Skips the horizons that end at or before a place.
  void PassHorizons(const Cut& place);
  // Returns the greatest key that the snapshot and the next horizon allow.
  int64_t KeyLimit() const;
  int64_t CountRest();

  std::shared_ptr<const DatasetIndex> index_;  // Shared with other readers and the SampleIndex.
  IntervalQuery query_;
  // The order of the index. It is nullptr with `after_key`. Positions then count the rows of
  // `newer_rows_`, which are the rows of the interval in their order.
  const EventTimeOrder* order_ = nullptr;
  std::vector<int64_t> newer_rows_;
  // From the index; deletions after the snapshot's sequence are ignored.
  std::shared_ptr<const std::vector<Deletion>> deletions_;
  int64_t position_ = 0;
  int64_t end_ = 0;
  // Whether all times read so far are undamaged.
  bool is_sound_ = true;
  size_t horizon_ = 0;  // The index of the next horizon.
  int64_t num_to_skip_ = 0;
  int64_t num_to_take_;
};

}  // namespace tidemill::storage

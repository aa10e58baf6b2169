// What the read path knows about one dataset: where each sample is, when it happened, and which
// samples are deleted. It is a frozen version. SampleIndex makes the next version when something
// was committed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/time.h"
#include "storage/client/dataset_spec.h"
#include "storage/index/event_time_order.h"

namespace tidemill::storage {

// Where a sample is: row `row` of a segment.
struct SampleLocation {
  const IndexedSegment* segment = nullptr;
  int64_t row = 0;

  int64_t key() const { return segment->first_key + row; }
  // See SegmentColumns: whoever asks also asks columns->TimeIsSound(row).
  int64_t event_time() const { return segment->columns->event_time[static_cast<size_t>(row)]; }
  // Returns the file that holds the sample's bytes.
  FileId file() const;
};

// DATA_LOSS, for whoever finds columns that are not sound. A refresh of the index makes them again.
absl::Status DamagedColumns(DatasetId dataset);

using Tombstones = absl::flat_hash_map<int64_t, int64_t>;
// A tombstone, as readers of whole intervals go by them.
struct Deletion {
  int64_t key = 0;
  int64_t sequence = 0;
};
using FilePaths = absl::flat_hash_map<FileId, std::string>;

// The parts of a DatasetIndex.
struct DatasetIndexParts {
  DatasetId dataset;
  DatasetSpec spec = {};
  int64_t committed_key = 0;
  // Sorted by first_key. DatasetIndex fills in first_row.
  std::vector<IndexedSegment> segments = {};
  int64_t tombstone_sequence = 0;
  // Maps a key to its sequence; never null. Versions that differ in other things share it.
  std::shared_ptr<const Tombstones> tombstones = std::make_shared<const Tombstones>();
  // Absolute paths; never null. Versions share it, too.
  std::shared_ptr<const FilePaths> paths = std::make_shared<const FilePaths>();
};

// Immutable, so thread-safe. Readers share it and may keep it longer than its successor exists. The
// order is made on first use.
class DatasetIndex {
 public:
  // `before`, if it is given, is an earlier version. The order is built upon its order.
  DatasetIndex(DatasetIndexParts parts, const DatasetIndex* before);

  DatasetId dataset() const { return parts_.dataset; }
  const DatasetSpec& spec() const { return parts_.spec; }
  int64_t committed_key() const { return parts_.committed_key; }
  int64_t tombstone_sequence() const { return parts_.tombstone_sequence; }
  const DatasetIndexParts& parts() const { return parts_; }
  // The number of rows, including deleted samples.
  int64_t num_rows() const { return num_rows_; }

  // Returns std::nullopt when no segment holds the key.
  std::optional<SampleLocation> Find(int64_t key) const;
  // Returns the segment that holds a key, or nullptr. The search has no branches, because a
  // processor cannot predict them for shuffled keys of many segments.
  const IndexedSegment* SegmentOf(int64_t key) const {
    const int64_t* first = first_keys_.data();
    size_t count = first_keys_.size();
    if (count == 0) return nullptr;
    while (count > 1) {
      const size_t half = count / 2;
      first = first[half] <= key ? first + half : first;
      count -= half;
    }
    const IndexedSegment& segment =
        parts_.segments[static_cast<size_t>(first - first_keys_.data())];
    const uint64_t row = static_cast<uint64_t>(key) - static_cast<uint64_t>(segment.first_key);
    return row < static_cast<uint64_t>(segment.num_samples) ? &segment : nullptr;
  }
  // Whether a tombstone up to `sequence` names the key.
  bool IsDeleted(int64_t key, int64_t sequence) const;
  // Returns all tombstones by ascending key. They are sorted on first use, once for all readers and
  // for later versions with the same tombstones.
  std::shared_ptr<const std::vector<Deletion>> deletions() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns nullptr when the file is unknown.
  const std::string* PathOf(FileId file) const;

  // Returns where the dataset's row `row` is. Rows are counted in the order of keys.
  SampleLocation LocationOf(int64_t row) const;
  // The rows in the order (event_time, key).
  const EventTimeOrder& order() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the first position in that order at or behind a cut. DATA_LOSS when a time that this
  // depends on is not as it was written.
  absl::StatusOr<int64_t> LowerBound(Cut cut) const;

  // Whether a part of a column file was found that is not as it was written. SampleIndex::Refresh()
  // makes such files again.
  bool is_damaged() const;
  // Compares all columns with their sums, those that nobody has read yet, too.
  bool AllAreSound() const;

 private:
  // nullptr when there is none yet, or it is of damaged times.
  std::shared_ptr<const EventTimeOrder> built_order() const ABSL_LOCKS_EXCLUDED(mutex_);

  DatasetIndexParts parts_;
  std::vector<int64_t> first_keys_;  // The first keys of the segments, side by side for the search.
  int64_t num_rows_ = 0;
  mutable Mutex mutex_;
  // Shared with later versions when they have nothing new to order.
  mutable std::shared_ptr<const EventTimeOrder> order_ ABSL_GUARDED_BY(mutex_);
  mutable std::shared_ptr<const std::vector<Deletion>> deletions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage

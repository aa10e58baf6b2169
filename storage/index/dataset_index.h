// An immutable version of the read path's knowledge of one dataset: where each sample is, when it
// happened, and which samples are deleted. SampleIndex makes the next version after a commit.
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
#include "storage/index/event_time_order.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::storage {

// Where a sample is: row `row` of a segment.
struct SampleLocation {
  const IndexedSegment* segment = nullptr;
  int64_t row = 0;

  int64_t key() const { return segment->first_key + row; }
  // See SegmentColumns: callers must also check columns->TimeIsSound(row).
  int64_t event_time() const { return segment->columns->event_time[static_cast<size_t>(row)]; }
  // Returns the file that holds the sample's bytes.
  FileId file() const;
};

// DATA_LOSS, for callers that find damaged columns. A refresh of the index rebuilds them.
absl::Status DamagedColumns(DatasetId dataset);

using Tombstones = absl::flat_hash_map<int64_t, int64_t>;
// A tombstone, in the form that readers of whole intervals use.
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

// Immutable, so thread-safe. Readers share it, and may keep it after a newer version exists. The
// order is computed on first use.
class DatasetIndex {
 public:
  // `before`, if it is given, is an earlier version. The new order extends its order.
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
  // Returns the first position in that order at or after a cut. DATA_LOSS when a time that this
  // depends on is damaged.
  absl::StatusOr<int64_t> LowerBound(Cut cut) const;

  // Whether a damaged part of a column file was found. SampleIndex::Refresh() rebuilds such files.
  bool is_damaged() const;
  // Compares all columns with their sums, including those not read yet.
  bool AllAreSound() const;

 private:
  // nullptr when there is none yet, or when it was computed from damaged times.
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

// What the read path knows of one dataset: where each sample lies, when it happened, which are
// deleted. A frozen version; SampleIndex makes the next one when something was committed.
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

// Where a sample lies: row `row` of a segment.
struct SampleLocation {
  const IndexedSegment* segment = nullptr;
  int64_t row = 0;

  int64_t key() const { return segment->first_key + row; }
  int64_t event_time() const { return segment->columns->event_time[static_cast<size_t>(row)]; }
  // The file that holds the sample's bytes.
  FileId file() const;
};

using Tombstones = absl::flat_hash_map<int64_t, int64_t>;
using FilePaths = absl::flat_hash_map<FileId, std::string>;

// What a DatasetIndex is made of.
struct DatasetIndexParts {
  DatasetId dataset;
  DatasetSpec spec = {};
  int64_t committed_key = 0;
  // Sorted by first_key; first_row is filled in by DatasetIndex.
  std::vector<IndexedSegment> segments = {};
  int64_t tombstone_sequence = 0;
  // Key -> sequence; never null. Shared by versions that differ in other things.
  std::shared_ptr<const Tombstones> tombstones = std::make_shared<const Tombstones>();
  // Absolute; never null. Shared likewise.
  std::shared_ptr<const FilePaths> paths = std::make_shared<const FilePaths>();
};

// Immutable, so thread-safe; readers share it and outlive its successor. The order is made on first
// use.
class DatasetIndex {
 public:
  // `before`, if any, is an earlier version whose order is built upon.
  DatasetIndex(DatasetIndexParts parts, const DatasetIndex* before);

  DatasetId dataset() const { return parts_.dataset; }
  const DatasetSpec& spec() const { return parts_.spec; }
  int64_t committed_key() const { return parts_.committed_key; }
  int64_t tombstone_sequence() const { return parts_.tombstone_sequence; }
  const DatasetIndexParts& parts() const { return parts_; }
  // Deleted samples included.
  int64_t num_rows() const { return num_rows_; }

  // std::nullopt for a key that no segment holds.
  std::optional<SampleLocation> Find(int64_t key) const;
  // The segment that holds a key; nullptr when none does. Searches without branches: shuffled keys
  // of many segments cannot be guessed.
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
  // nullptr for an unknown file.
  const std::string* PathOf(FileId file) const;

  // Where the dataset's row `row`, counted in the order of keys, lies.
  SampleLocation LocationOf(int64_t row) const;
  // The rows in the order (event_time, key).
  const EventTimeOrder& order() const ABSL_LOCKS_EXCLUDED(mutex_);
  // The first position in that order at or behind a cut.
  int64_t LowerBound(Cut cut) const;

 private:
  std::shared_ptr<const EventTimeOrder> built_order() const ABSL_LOCKS_EXCLUDED(mutex_);

  DatasetIndexParts parts_;
  std::vector<int64_t> first_keys_;  // Of the segments, side by side to be searched.
  int64_t num_rows_ = 0;
  mutable Mutex mutex_;
  // Shared with later versions that find nothing new to order.
  mutable std::shared_ptr<const EventTimeOrder> order_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage

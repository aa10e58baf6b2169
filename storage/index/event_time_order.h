// The order (event time, key) of a dataset's rows.
//   rows, by key      0   1   2   3   4   5        segments: [0 1 2] [3 4 5]
//   event time        10  20  30  15  40  50       row 3 came late
//   permutation       0   3   1   2   4   5        positions of the stream -> rows
//
// Keys are allocated as files arrive, so the two orders agree unless files come late. When they
// agree, no permutation is kept: RowAt() is the identity.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/id.h"
#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

// A segment with its columns mapped. Its row r has the key first_key + r. It is the row first_row +
// r of the dataset.
struct IndexedSegment {
  int64_t segment_id = 0;
  // std::nullopt when each sample is a file.
  std::optional<FileId> file = std::nullopt;
  int64_t first_key = 0;
  int64_t num_samples = 0;
  int64_t first_row = 0;
  // Shared by all versions of the index that hold the segment.
  std::shared_ptr<const SegmentColumns> columns = nullptr;
};

// Returns the segment that holds a row. `segments` must be sorted by first_row.
const IndexedSegment& SegmentOfRow(const std::vector<IndexedSegment>& segments, int64_t row);

// A permutation of a dataset's rows. It is empty when the keys are already in the order of time,
// that is, unless files arrive late. Immutable, so thread-safe.
class EventTimeOrder {
 public:
  // Reads the times of a segment only when its file does not say that they ascend. Sorts only what
  // is out of order.
  explicit EventTimeOrder(const std::vector<IndexedSegment>& segments);
  // Does the same for segments that begin with those of `before`. Looks only at the new ones.
  EventTimeOrder(const EventTimeOrder& before, const std::vector<IndexedSegment>& segments);

  int64_t num_rows() const { return num_rows_; }
  bool is_by_key() const { return permutation_.empty(); }
  // Whether the times from which it was computed are undamaged (SegmentColumns::AreSound).
  bool is_sound() const { return is_sound_; }
  // Returns the row at a position of the order.
  int64_t RowAt(int64_t position) const {
    return permutation_.empty() ? position : permutation_[static_cast<size_t>(position)];
  }

 private:
  // Whether the rows from `first_row` on are in the order of time, the first not before the last
  // one so far.
  bool AreInOrder(const std::vector<IndexedSegment>& segments, int64_t first_row);
  // Adds the rows from `num_rows_` on.
  void Extend(const std::vector<IndexedSegment>& segments);

  int64_t num_rows_ = 0;
  bool is_sound_ = true;
  int64_t last_event_time_ = 0;  // The event time of the last row while there is no permutation.
  std::vector<int64_t> permutation_;
};

}  // namespace tidemill::storage

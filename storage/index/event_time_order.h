// The order (event time, key) of a dataset's rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/id.h"
#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

// A segment with its columns mapped. Row r of it has the key first_key + r and is row
// first_row + r of the dataset.
struct IndexedSegment {
  int64_t segment_id = 0;
  // std::nullopt where each sample is a file of its own.
  std::optional<FileId> file = std::nullopt;
  int64_t first_key = 0;
  int64_t num_samples = 0;
  int64_t first_row = 0;
  // Shared by all versions of the index that hold the segment.
  std::shared_ptr<const SegmentColumns> columns = nullptr;
};

// The segment, of those sorted by first_row, that holds a row.
const IndexedSegment& SegmentOfRow(const std::vector<IndexedSegment>& segments, int64_t row);

// A permutation of a dataset's rows, or none where the keys are in the order of time already, as
// they are unless files arrive late. Immutable, so thread-safe.
class EventTimeOrder {
 public:
  // Reads the times of a segment only where its file does not say that they ascend; sorts only what
  // is out of order.
  explicit EventTimeOrder(const std::vector<IndexedSegment>& segments);
  // The same for segments that start with those that `before` orders: looks at the new ones only.
  EventTimeOrder(const EventTimeOrder& before, const std::vector<IndexedSegment>& segments);

  int64_t num_rows() const { return num_rows_; }
  bool is_by_key() const { return permutation_.empty(); }
  // The row at a position of the order.
  int64_t RowAt(int64_t position) const {
    return permutation_.empty() ? position : permutation_[static_cast<size_t>(position)];
  }

 private:
  // Takes in the rows from `num_rows_` on.
  void Extend(const std::vector<IndexedSegment>& segments);

  int64_t num_rows_ = 0;
  int64_t last_event_time_ = 0;  // Of the last row while there is no permutation.
  std::vector<int64_t> permutation_;
};

}  // namespace tidemill::storage

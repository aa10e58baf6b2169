// The columns of a list of samples: key, event_time and, on request, class_label and real_label.
#pragma once

#include <span>

#include "base/status.h"
#include "batch/batch.h"
#include "storage/index/event_time_order.h"

namespace tidemill::storage {

// The rows [from, to) of a segment.
struct RowRun {
  const IndexedSegment* segment = nullptr;
  int64_t from = 0;
  int64_t to = 0;

  int64_t num_rows() const { return to - from; }
};

// Returns the rows of one run after another. A single run is not copied: except for the keys, its
// columns are views of the segment's columns and keep them alive. Several runs are copied column by
// column.
absl::StatusOr<batch::Batch> ListColumns(std::span<const RowRun> runs, bool with_labels);

}  // namespace tidemill::storage

// The columns of a list of samples: key, event_time and, when asked for, class_label and
// real_label.
#pragma once

#include <span>

#include "base/status.h"
#include "batch/batch.h"
#include "storage/index/event_time_order.h"

namespace tidemill::storage {

// Rows [from, to) of a segment.
struct RowRun {
  const IndexedSegment* segment = nullptr;
  int64_t from = 0;
  int64_t to = 0;

  int64_t num_rows() const { return to - from; }
};

// The rows of one run after another. One run alone is not copied: but for its keys, its columns are
// views of the segment's, which they keep alive. Several are copied column by column.
absl::StatusOr<batch::Batch> ListColumns(std::span<const RowRun> runs, bool with_labels);

}  // namespace tidemill::storage

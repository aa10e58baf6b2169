#include "evaluator/reading/rows_in_order.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "batch/slice.h"

namespace tidemill::evaluator {

absl::Status RowsInOrder::NextBatch() {
  ASSIGN_OR_RETURN(std::optional<loader::TrainingBatch> next, source_->Next());
  if (!next) return Internal("the batches end before ordinal {}", position_);
  batch_ = *std::move(next);
  row_ = 0;
  batch_end_ += batch_size_;
  return absl::OkStatus();
}

batch::Batch RowsInOrder::TakeRows(int64_t end) {
  if (batch_.rows.num_rows() == 0) return {};
  const auto ordinals = batch_.rows.Find(batch::kOrdinalColumn)->Values<int64_t>();
  const int64_t first = row_;
  while (row_ < batch_.rows.num_rows() && ordinals[static_cast<size_t>(row_)] < end) ++row_;
  if (row_ == first) return {};
  batch::Batch part = batch::Slice(batch_.rows, first, row_);
  part.Drop(batch::kOrdinalColumn);
  return part;
}

absl::StatusOr<RowsInOrder::Taken> RowsInOrder::TakeTo(int64_t end) {
  Taken taken;
  std::vector<batch::Batch> parts;
  while (position_ < end) {
    if (position_ == batch_end_) RETURN_IF_ERROR(NextBatch());
    batch::Batch part = TakeRows(end);
    if (part.num_rows() > 0) parts.push_back(std::move(part));
    taken.may_lack_bad = taken.may_lack_bad || batch_.num_skipped > 0;
    position_ = std::min(end, batch_end_);
  }
  if (parts.size() == 1) {
    taken.rows = std::move(parts.front());
  } else if (!parts.empty()) {
    ASSIGN_OR_RETURN(taken.rows, batch::Concatenate(parts));
  }
  return taken;
}

}  // namespace tidemill::evaluator

#include "transform/plugin/row_blocks.h"

#include <algorithm>
#include <utility>

namespace tidemill::transform {
namespace {

int64_t StringBytes(const batch::Batch& inputs, int64_t row) {
  int64_t bytes = 0;
  for (const batch::Column& column : inputs.columns()) {
    if (IsText(column.type)) bytes += std::ssize(column.Bytes(row));
  }
  return bytes;
}

}  // namespace

absl::StatusOr<batch::Batch> InputsOf(const Frame& frame, std::span<const BoundColumn> inputs) {
  batch::Batch columns(frame.num_rows());
  for (const auto& [slot, schema] : inputs) {
    batch::Column column = frame.Get(slot);
    column.name = schema.name;
    RETURN_IF_ERROR(columns.Set(std::move(column)));
  }
  return columns;
}

size_t BlockSize::Add(const batch::Batch& inputs, std::span<const int64_t> rows) {
  const bool has_strings =
      std::ranges::any_of(inputs.columns(), [](const auto& column) { return IsText(column.type); });
  size_t count = 0;
  if (!has_strings && !IsFull()) {
    // Rounded up: the row that fills a block is in it.
    const int64_t room =
        row_bytes_ == 0 ? most_rows_ : (most_bytes_ - num_bytes_ + row_bytes_ - 1) / row_bytes_;
    count = static_cast<size_t>(
        std::min({room, most_rows_ - num_rows_, static_cast<int64_t>(rows.size())}));
    num_rows_ += static_cast<int64_t>(count);
    num_bytes_ += static_cast<int64_t>(count) * row_bytes_;
    return count;
  }
  for (; count < rows.size() && !IsFull(); ++count) {
    ++num_rows_;
    num_bytes_ += row_bytes_ + StringBytes(inputs, rows[count]);
  }
  return count;
}

std::vector<ColumnSchema> SchemasOf(std::span<const BoundColumn> columns) {
  std::vector<ColumnSchema> schemas;
  for (const BoundColumn& column : columns) schemas.push_back(column.schema);
  return schemas;
}

int64_t FixedRowBytes(std::span<const BoundColumn> columns) {
  int64_t bytes = 0;
  for (const auto& [slot, schema] : columns) {
    const bool is_text = IsText(schema.type);
    // The offset of a byte string is of a fixed width, too.
    bytes += is_text ? static_cast<int64_t>(sizeof(int64_t))
                     : schema.Width() * static_cast<int64_t>(batch::SizeOf(schema.type));
  }
  return bytes;
}

}  // namespace tidemill::transform

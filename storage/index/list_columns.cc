#include "storage/index/list_columns.h"

#include <cstring>
#include <numeric>
#include <string>

#include "storage/gather/block_pool.h"

namespace tidemill::storage {

namespace {

using batch::Buffer;
using batch::Column;
using batch::DataType;

constexpr size_t kWidth = sizeof(int64_t);  // The size of a number of each of the columns.

int64_t CountRows(std::span<const RowRun> runs) {
  int64_t num_rows = 0;
  for (const RowRun& run : runs) num_rows += run.num_rows();
  return num_rows;
}

Column KeyColumn(std::span<const RowRun> runs, int64_t num_rows) {
  Column column{.name = std::string(batch::kKeyColumn), .type = DataType::kInt64};
  column.data = TakeBlock(static_cast<size_t>(num_rows) * kWidth);
  int64_t* at = column.data.MutableAs<int64_t>().data();
  for (const RowRun& run : runs) {
    std::iota(at, at + run.num_rows(), run.segment->first_key + run.from);
    at += run.num_rows();
  }
  return column;
}

// Row `row` of a batch is row `run.from + row` of this column.
void CopyBits(const Column& column, const RowRun& run, int64_t row, Buffer& bits) {
  std::byte* const to = bits.mutable_data();
  for (int64_t i = run.from; i < run.to; ++i, ++row) {
    if (column.IsValid(i)) to[row / 8] |= std::byte{1} << row % 8;
  }
}

// The column that `of` finds in a segment, of all the runs.
template <typename ColumnOf>
Column Assemble(std::span<const RowRun> runs, int64_t num_rows, const ColumnOf& of) {
  const Column& first = of(*runs.front().segment);
  Column column{.name = first.name, .type = first.type};
  if (runs.size() == 1) {
    const RowRun& run = runs.front();
    column.data = first.data.Slice(static_cast<size_t>(run.from) * kWidth,
                                   static_cast<size_t>(num_rows) * kWidth);
  } else {
    column.data = TakeBlock(static_cast<size_t>(num_rows) * kWidth);
    std::byte* at = column.data.mutable_data();
    for (const RowRun& run : runs) {
      const size_t size = static_cast<size_t>(run.num_rows()) * kWidth;
      std::memcpy(at, of(*run.segment).data.data() + static_cast<size_t>(run.from) * kWidth, size);
      at += size;
    }
  }
  bool has_nulls = false;
  for (const RowRun& run : runs) has_nulls = has_nulls || !of(*run.segment).validity.empty();
  if (!has_nulls) return column;
  column.validity = Buffer::Allocate(static_cast<size_t>(num_rows + 7) / 8);
  int64_t row = 0;
  for (const RowRun& run : runs) {
    CopyBits(of(*run.segment), run, row, column.validity);
    row += run.num_rows();
  }
  return column;
}

}  // namespace

absl::StatusOr<batch::Batch> ListColumns(std::span<const RowRun> runs, bool with_labels) {
  const int64_t num_rows = CountRows(runs);
  batch::Batch batch(num_rows);
  RETURN_IF_ERROR(batch.Set(KeyColumn(runs, num_rows)));
  RETURN_IF_ERROR(batch.Set(Assemble(
      runs, num_rows, [](const IndexedSegment& segment) -> auto& {
        return *segment.columns->batch.Find(batch::kEventTimeColumn);
      })));
  if (!with_labels) return batch;
  RETURN_IF_ERROR(batch.Set(Assemble(
      runs, num_rows,
      [](const IndexedSegment& segment) -> auto& { return *segment.columns->class_label; })));
  RETURN_IF_ERROR(batch.Set(Assemble(
      runs, num_rows,
      [](const IndexedSegment& segment) -> auto& { return *segment.columns->real_label; })));
  return batch;
}

}  // namespace tidemill::storage

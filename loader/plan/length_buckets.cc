#include "loader/plan/length_buckets.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "batch/slice.h"
#include "loader/plan/ragged_column.h"

namespace tidemill::loader {
namespace {

constexpr size_t kAlignment = 64;

absl::StatusOr<const batch::Column*> ColumnOf(const models::Buckets& buckets,
                                              const batch::Batch& rows) {
  const batch::Column* const column = rows.Find(buckets.column);
  if (column == nullptr) {
    return NotFound("buckets.column: the graph makes no column '{}'", buckets.column);
  }
  return column;
}

// The ragged column of a batch as rows of one width.
absl::Status Pad(const models::Buckets& buckets, int64_t most, int64_t longest,
                 batch::Batch& rows) {
  ASSIGN_OR_RETURN(const batch::Column* const ragged, ColumnOf(buckets, rows));
  ASSIGN_OR_RETURN(batch::Column padded,
                   ToPadded(*ragged, WidthOf(buckets, longest, most), buckets.padding));
  return rows.Set(std::move(padded));
}

}  // namespace

absl::Status MakeRagged(const models::Buckets& buckets, batch::Batch& rows) {
  ASSIGN_OR_RETURN(const batch::Column* const column, ColumnOf(buckets, rows));
  ASSIGN_OR_RETURN(batch::Column ragged, ToRagged(*column, rows.num_rows(), buckets.padding));
  return rows.Set(std::move(ragged));
}

int64_t WidthOf(const models::Buckets& buckets, int64_t longest, int64_t most) {
  if (!buckets.boundaries.empty()) {
    const auto at = std::ranges::lower_bound(buckets.boundaries, longest);
    return at == buckets.boundaries.end() ? most : std::min(*at, most);
  }
  int64_t width = 1;
  while (width < longest && width < most) width *= 2;
  return std::min(width, most);
}

absl::StatusOr<std::vector<batch::Batch>> CutByLength(const models::Buckets& buckets, int64_t most,
                                                      const batch::Batch& rows,
                                                      std::span<const int64_t> sizes,
                                                      const RandomKey& order) {
  std::vector<batch::Batch> batches(sizes.size());
  if (rows.num_rows() == 0) return batches;
  ASSIGN_OR_RETURN(const batch::Column* const column, ColumnOf(buckets, rows));
  ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, LengthsOf(*column));
  std::vector<int64_t> sorted(lengths.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::stable_sort(sorted, {},
                           [&](int64_t row) { return lengths[static_cast<size_t>(row)]; });
  const Permutation place(order, std::ssize(sizes));
  std::span<const int64_t> rest = sorted;
  for (int64_t rank = 0; rank < std::ssize(sizes); ++rank) {
    const auto at = static_cast<size_t>(place(rank));
    const auto taken = rest.first(static_cast<size_t>(sizes[at]));
    rest = rest.subspan(taken.size());
    if (taken.empty()) continue;
    batches[at] = rows.Take(taken);
    if (buckets.layout == models::RowLayout::kRagged) continue;
    RETURN_IF_ERROR(Pad(buckets, most, lengths[static_cast<size_t>(taken.back())], batches[at]));
  }
  return batches;
}

batch::Batch SliceAligned(const batch::Batch& rows, int64_t from, int64_t to) {
  batch::Batch slice = batch::Slice(rows, from, to);
  for (const batch::Column& column : std::vector<batch::Column>(slice.columns())) {
    const auto address = reinterpret_cast<uintptr_t>(column.data.data());
    if (column.type != batch::DataType::kBinary || address % kAlignment == 0) continue;
    batch::Column moved = column;
    moved.data = batch::Buffer::AllocateUnwritten(column.data.size());
    std::memcpy(moved.data.mutable_data(), column.data.data(), column.data.size());
    slice.Set(std::move(moved)).IgnoreError();  // As large as before.
  }
  return slice;
}

}  // namespace tidemill::loader

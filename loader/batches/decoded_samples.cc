#include "loader/batches/decoded_samples.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"

// Where the row of an ordinal is. Kept columns are one table that is filled from the top:
//
//   places_    ordinal   0     1        2      3          4
//              place     2     unknown  hole   filtered   0
//                        |                                |
//   columns_   place 0   |   row of ordinal 4  <----------+
//              place 1   |   row of another
//              place 2  <+   row of ordinal 0
//              ...           not written: costs no memory
//
// Gather() copies the rows of a batch from this table, and from the rows that were read for the
// batch just now. A row stays where it is, so that a view of the table never changes under its
// reader.

namespace tidemill::loader {
namespace {

bool IsKept(const batch::Column& column) {
  return column.name != batch::kOrdinalColumn && column.name != batch::kWeightColumn;
}

size_t RowBytes(const batch::Column& column) {
  return static_cast<size_t>(column.Width()) * batch::SizeOf(column.type);
}

std::span<const int64_t> OrdinalColumn(const batch::Batch& rows) {
  const batch::Column* const ordinals = rows.Find(batch::kOrdinalColumn);
  TIDEMILL_CHECK(ordinals != nullptr);
  return ordinals->Values<int64_t>();
}

}  // namespace

DecodedSamples::DecodedSamples(int64_t num_samples, int64_t budget)
    : budget_(budget), places_(static_cast<size_t>(num_samples), kUnknown) {}

std::vector<int64_t> DecodedSamples::Find(std::span<const int64_t> ordinals) const {
  std::vector<int64_t> found;
  found.reserve(ordinals.size());
  MutexLock lock(mutex_);
  for (const int64_t ordinal : ordinals) found.push_back(places_[static_cast<size_t>(ordinal)]);
  return found;
}

bool DecodedSamples::Allocate(const batch::Batch& rows) {
  if (is_allocated_) return capacity_ > 0;
  is_allocated_ = true;
  size_t row_bytes = sizeof(int32_t);
  for (const batch::Column& column : rows.columns()) {
    if (!IsKept(column)) continue;
    if (column.type == batch::DataType::kBinary || !column.validity.empty()) return false;
    row_bytes += RowBytes(column);
  }
  constexpr int64_t kMaxPlaces = std::numeric_limits<int32_t>::max();
  const int64_t capacity =
      std::min({std::ssize(places_), kMaxPlaces, budget_ / static_cast<int64_t>(row_bytes)});
  if (capacity == 0) return false;
  for (const batch::Column& column : rows.columns()) {
    if (!IsKept(column)) continue;
    batch::Column kept{.name = column.name, .type = column.type, .shape = column.shape};
    // Pages that are never written cost nothing.
    kept.data = batch::Buffer::AllocateUnwritten(static_cast<size_t>(capacity) * RowBytes(column));
    columns_.push_back(std::move(kept));
  }
  capacity_ = capacity;
  return true;
}

bool DecodedSamples::Fits(const batch::Batch& rows) const {
  return std::all_of(columns_.begin(), columns_.end(), [&](const batch::Column& kept) {
    const batch::Column* const column = rows.Find(kept.name);
    return column != nullptr && column->type == kept.type && column->shape == kept.shape &&
           column->validity.empty();
  });
}

void DecodedSamples::Keep(const batch::Batch& rows) {
  if (rows.num_rows() == 0) return;
  const std::span<const int64_t> ordinals = OrdinalColumn(rows);
  std::vector<batch::Column> columns;
  std::vector<std::pair<int64_t, int32_t>> added;  // Row, place.
  {
    MutexLock lock(mutex_);
    if (!Allocate(rows) || used_ == capacity_ || !Fits(rows)) return;
    for (int64_t row = 0; row < rows.num_rows() && used_ < capacity_; ++row) {
      if (places_[static_cast<size_t>(ordinals[row])] != kUnknown) continue;
      added.emplace_back(row, static_cast<int32_t>(used_++));
    }
    columns = columns_;  // Views of the same bytes.
  }
  for (batch::Column& kept : columns) {
    const size_t size = RowBytes(kept);
    const std::byte* const from = rows.Find(kept.name)->data.data();
    std::byte* const to = kept.data.mutable_data();
    for (const auto& [row, place] : added) {
      std::memcpy(to + static_cast<size_t>(place) * size, from + static_cast<size_t>(row) * size,
                  size);
    }
  }
  MutexLock lock(mutex_);
  for (const auto& [row, place] : added) places_[static_cast<size_t>(ordinals[row])] = place;
}

void DecodedSamples::KeepHoles(std::span<const int64_t> ordinals, const std::string& reason) {
  if (ordinals.empty()) return;
  MutexLock lock(mutex_);
  for (const int64_t ordinal : ordinals) places_[static_cast<size_t>(ordinal)] = kHole;
  if (reason_.empty()) reason_ = reason;
}

void DecodedSamples::KeepFiltered(std::span<const int64_t> ordinals) {
  if (ordinals.empty()) return;
  MutexLock lock(mutex_);
  for (const int64_t ordinal : ordinals) places_[static_cast<size_t>(ordinal)] = kFiltered;
}

std::string DecodedSamples::reason() const {
  MutexLock lock(mutex_);
  return reason_;
}

batch::Batch DecodedSamples::View() const {
  MutexLock lock(mutex_);
  batch::Batch view(capacity_);
  for (const batch::Column& column : columns_) {
    // The buffers have just the size that this asks for.
    view.Set(column).IgnoreError();
  }
  return view;
}

absl::StatusOr<batch::Batch> DecodedSamples::Gather(std::span<const int64_t> ordinals,
                                                    std::span<const int64_t> places,
                                                    const batch::Batch& read) const {
  TIDEMILL_CHECK(places.size() == ordinals.size());
  const batch::Batch kept = View();
  const batch::Batch& like = kept.num_rows() > 0 ? kept : read;
  batch::Batch gathered(std::ssize(ordinals));
  for (const batch::Column& column : like.columns()) {
    if (!IsKept(column)) continue;
    const batch::Column* const other = read.Find(column.name);
    if (read.num_rows() > 0 && (other == nullptr || RowBytes(*other) != RowBytes(column))) {
      return Internal("the column {} of the samples has changed", column.name);
    }
    const std::byte* const from_kept = kept.num_rows() > 0 ? column.data.data() : nullptr;
    const std::byte* const from_read = read.num_rows() > 0 ? other->data.data() : nullptr;
    const size_t size = RowBytes(column);
    batch::Column made{.name = column.name, .type = column.type, .shape = column.shape};
    made.data = batch::Buffer::AllocateUnwritten(ordinals.size() * size);
    std::byte* to = made.data.mutable_data();
    for (const int64_t place : places) {
      const std::byte* const from = place >= 0
                                        ? from_kept + static_cast<size_t>(place) * size
                                        : from_read + static_cast<size_t>(RowOfRead(place)) * size;
      std::memcpy(to, from, size);
      to += size;
    }
    RETURN_IF_ERROR(gathered.Set(std::move(made)));
  }
  RETURN_IF_ERROR(gathered.Set(batch::MakeColumn<int64_t>(batch::kOrdinalColumn, ordinals)));
  return gathered;
}

}  // namespace tidemill::loader

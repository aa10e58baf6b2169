#include "supervisor/evidence/row_cache.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_set.h"

namespace tidemill::supervisor {
namespace {

// Bytes of an entry of the map, with the room that it leaves free.
constexpr int64_t kEntryBytes = 32;

absl::StatusOr<std::vector<double>> NumbersOf(const batch::Column& column) {
  if (column.type == batch::DataType::kFloat64) {
    const auto values = column.Values<double>();
    return std::vector<double>(values.begin(), values.end());
  }
  if (column.type == batch::DataType::kFloat32) {
    const auto values = column.Values<float>();
    return std::vector<double>(values.begin(), values.end());
  }
  return Internal("the column {} holds {}, not real numbers", column.name,
                  batch::NameOf(column.type));
}

}  // namespace

std::vector<int64_t> RowCache::Unknown(std::span<const int64_t> keys) const {
  std::vector<int64_t> unknown;
  absl::flat_hash_set<int64_t> seen;
  for (const int64_t key : keys) {
    if (!row_of_.contains(key) && seen.insert(key).second) unknown.push_back(key);
  }
  return unknown;
}

bool RowCache::HasRoomFor(size_t num_rows) const {
  const int64_t row_bytes = width_ * static_cast<int64_t>(sizeof(double)) + kEntryBytes;
  return (static_cast<int64_t>(row_of_.size()) + static_cast<int64_t>(num_rows)) * row_bytes <=
         max_bytes_;
}

void RowCache::Clear() {
  row_of_.clear();
  values_.clear();
}

void RowCache::Settle(std::span<const int64_t> keys) {
  for (const int64_t key : keys) row_of_.try_emplace(key, kNoRow);
}

absl::Status RowCache::Add(const batch::Batch& rows, std::string_view values) {
  if (rows.num_rows() == 0) return absl::OkStatus();
  const batch::Column* column = rows.Find(values);
  if (column == nullptr) return Internal("the answer has no column {}", values);
  ASSIGN_OR_RETURN(const std::vector<double> numbers, NumbersOf(*column));
  if (!values_.empty() && column->Width() != width_) {
    return Internal("the column {} has {} numbers for each sample, but had {} before", values,
                    column->Width(), width_);
  }
  width_ = column->Width();
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    const auto first = numbers.begin() + row * width_;
    if (!std::all_of(first, first + width_, [](double x) { return std::isfinite(x); })) continue;
    const int64_t next = static_cast<int64_t>(values_.size()) / width_;
    const bool is_new = row_of_.try_emplace(rows.keys()[static_cast<size_t>(row)], next).second;
    if (is_new) values_.insert(values_.end(), first, first + width_);
  }
  return absl::OkStatus();
}

EvidenceTable RowCache::Table(std::span<const int64_t> keys) const {
  EvidenceTable table = {.width = width_};
  table.values.reserve(keys.size() * static_cast<size_t>(width_));
  for (const int64_t key : keys) {
    const int64_t row = row_of_.at(key);
    if (row == kNoRow) {
      ++table.num_missing;
      continue;
    }
    const auto first = values_.begin() + row * width_;
    table.values.insert(table.values.end(), first, first + width_);
    ++table.num_rows;
  }
  return table;
}

}  // namespace tidemill::supervisor

#include "supervisor/evidence/row_cache.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "absl/container/flat_hash_set.h"

namespace tidemill::supervisor {
namespace {

// Bytes of an entry of the map, with the room that it leaves free.
constexpr int64_t kEntryBytes = 32;

constexpr double kLacking = std::numeric_limits<double>::quiet_NaN();

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

int64_t RowCache::RowBytes() const {
  return width_ * static_cast<int64_t>(sizeof(double)) + kEntryBytes;
}

bool RowCache::HasRoomFor(size_t num_rows) const {
  return num_bytes() + static_cast<int64_t>(num_rows) * RowBytes() <= max_bytes_;
}

void RowCache::Clear() {
  row_of_.clear();
  values_.clear();
  lacks_some_ = false;
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
    const auto num_numbers =
        std::count_if(first, first + width_, [](double x) { return std::isfinite(x); });
    if (num_numbers == 0) continue;
    lacks_some_ = lacks_some_ || num_numbers < width_;
    const int64_t next = static_cast<int64_t>(values_.size()) / width_;
    const bool is_new = row_of_.try_emplace(rows.keys()[static_cast<size_t>(row)], next).second;
    if (!is_new) continue;
    std::transform(first, first + width_, std::back_inserter(values_),
                   [](double x) { return std::isfinite(x) ? x : kLacking; });
  }
  return absl::OkStatus();
}

EvidenceTable RowCache::Table(std::span<const int64_t> keys, bool may_lack) const {
  EvidenceTable table = {.width = width_};
  table.values.reserve(keys.size() * static_cast<size_t>(width_));
  for (const int64_t key : keys) {
    const int64_t row = row_of_.at(key);
    const auto first = values_.begin() + std::max<int64_t>(row, 0) * width_;
    const auto is_lacking = [](double x) { return std::isnan(x); };
    if (row == kNoRow ||
        (lacks_some_ && !may_lack && std::any_of(first, first + width_, is_lacking))) {
      ++table.num_missing;
      continue;
    }
    table.values.insert(table.values.end(), first, first + width_);
    table.keys.push_back(key);
    ++table.num_rows;
  }
  return table;
}

std::span<const double> RowCache::RowOf(int64_t key) const {
  const int64_t row = row_of_.at(key);
  if (row == kNoRow) return {};
  const auto numbers =
      std::span(values_).subspan(static_cast<size_t>(row * width_), static_cast<size_t>(width_));
  const bool is_whole =
      std::none_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); });
  return is_whole ? numbers : std::span<const double>();
}

EvidenceTable RowCache::TableBeside(const RowCache& other, std::span<const int64_t> keys) const {
  EvidenceTable table = {.width = width_ + other.width_};
  table.values.reserve(keys.size() * static_cast<size_t>(table.width));
  for (const int64_t key : keys) {
    const std::span<const double> own = RowOf(key), others = other.RowOf(key);
    if (own.empty() || others.empty()) {
      ++table.num_missing;
      continue;
    }
    table.values.insert(table.values.end(), own.begin(), own.end());
    table.values.insert(table.values.end(), others.begin(), others.end());
    table.keys.push_back(key);
    ++table.num_rows;
  }
  return table;
}

}  // namespace tidemill::supervisor

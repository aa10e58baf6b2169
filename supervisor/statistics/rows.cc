#include "supervisor/statistics/rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tidemill::supervisor::statistics {
namespace {

absl::Status CheckSample(const Rows& rows, const char* name, bool may_lack) {
  if (rows.num_columns < 1) return InvalidArgument("the {} window has no columns", name);
  if (rows.values.empty()) return InvalidArgument("the {} window has no rows", name);
  if (static_cast<int64_t>(rows.values.size()) % rows.num_columns != 0) {
    return InvalidArgument(
        "the {} window has {} numbers, which is not a multiple of its {} columns", name,
        rows.values.size(), rows.num_columns);
  }
  for (size_t i = 0; i < rows.values.size(); ++i) {
    if (may_lack && std::isnan(rows.values[i])) continue;
    if (!std::isfinite(rows.values[i])) {
      const auto at = static_cast<int64_t>(i);
      return InvalidArgument("row {}, column {} of the {} window is {}, not a finite number",
                             at / rows.num_columns, at % rows.num_columns, name, rows.values[i]);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckBoth(const Rows& reference, const Rows& current, bool may_lack) {
  RETURN_IF_ERROR(CheckSample(reference, "reference", may_lack));
  RETURN_IF_ERROR(CheckSample(current, "current", may_lack));
  if (reference.num_columns != current.num_columns) {
    return InvalidArgument("the reference window has {} columns, but the current window has {}",
                           reference.num_columns, current.num_columns);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSamples(const Rows& reference, const Rows& current) {
  return CheckBoth(reference, current, /*may_lack=*/false);
}

absl::Status CheckShapes(const Rows& reference, const Rows& current) {
  return CheckBoth(reference, current, /*may_lack=*/true);
}

std::vector<double> ColumnOf(const Rows& rows, int64_t column) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(rows.num_rows()));
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    const double value = rows[row][static_cast<size_t>(column)];
    if (!std::isnan(value)) values.push_back(value);
  }
  return values;
}

std::vector<int64_t> CountValues(const Rows& rows) {
  std::vector<int64_t> counts(static_cast<size_t>(rows.num_columns));
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    const std::span<const double> values = rows[row];
    for (size_t column = 0; column < values.size(); ++column) {
      counts[column] += std::isnan(values[column]) ? 0 : 1;
    }
  }
  return counts;
}

std::vector<double> CompleteRows(const Rows& rows) {
  std::vector<double> complete;
  complete.reserve(rows.values.size());
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    const std::span<const double> values = rows[row];
    if (std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); })) continue;
    complete.insert(complete.end(), values.begin(), values.end());
  }
  return complete;
}

std::vector<double> Gather(const Rows& rows, std::span<const int64_t> numbers) {
  std::vector<double> values;
  values.reserve(numbers.size() * static_cast<size_t>(rows.num_columns));
  for (const int64_t number : numbers) {
    const std::span<const double> row = rows[number];
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

std::vector<double> Pool(const Rows& reference, const Rows& current) {
  std::vector<double> values;
  values.reserve(reference.values.size() + current.values.size());
  values.insert(values.end(), reference.values.begin(), reference.values.end());
  values.insert(values.end(), current.values.begin(), current.values.end());
  return values;
}

void DrawFirst(std::span<int64_t> numbers, int64_t count, const RandomKey& key) {
  const auto size = static_cast<int64_t>(numbers.size());
  for (int64_t i = 0; i < std::min(count, size - 1); ++i) {
    // The high half of a product maps 64 bits to [0, size - i) without a division.
    const auto range = static_cast<unsigned __int128>(size - i);
    const auto step = static_cast<int64_t>((range * RandomBits(key, i)) >> 64);
    std::swap(numbers[static_cast<size_t>(i)], numbers[static_cast<size_t>(i + step)]);
  }
}

std::vector<double> Subsample(const Rows& rows, int64_t most, const RandomKey& key) {
  if (rows.num_rows() <= most) return {rows.values.begin(), rows.values.end()};
  std::vector<int64_t> numbers(static_cast<size_t>(rows.num_rows()));
  std::iota(numbers.begin(), numbers.end(), 0);
  DrawFirst(numbers, most, key);
  numbers.resize(static_cast<size_t>(most));
  std::sort(numbers.begin(), numbers.end());
  return Gather(rows, numbers);
}

}  // namespace tidemill::supervisor::statistics

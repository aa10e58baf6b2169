#include "supervisor/statistics/multiple_testing.h"

#include <algorithm>
#include <numbers>
#include <numeric>

namespace tidemill::supervisor::statistics {
namespace {

// Columns by their p-value, then by number.
std::vector<int64_t> ColumnsByP(std::span<const double> p_values) {
  std::vector<int64_t> columns(p_values.size());
  std::iota(columns.begin(), columns.end(), 0);
  std::stable_sort(columns.begin(), columns.end(), [&](int64_t left, int64_t right) {
    return p_values[static_cast<size_t>(left)] < p_values[static_cast<size_t>(right)];
  });
  return columns;
}

}  // namespace

double CombinedP(std::span<const double> p_values, Correction correction) {
  const std::vector<int64_t> columns = ColumnsByP(p_values);
  const auto num_columns = static_cast<double>(columns.size());
  double least = 1;
  for (size_t i = 0; i < columns.size(); ++i) {
    const double tests = correction == Correction::kFdr ? static_cast<double>(i + 1) : 1.0;
    least = std::min(least, p_values[static_cast<size_t>(columns[i])] * num_columns / tests);
  }
  return least;
}

std::vector<double> CorrectedP(std::span<const double> p_values, Correction correction) {
  const std::vector<int64_t> columns = ColumnsByP(p_values);
  const auto num_columns = static_cast<double>(columns.size());
  std::vector<double> corrected(columns.size());
  double least = 1;
  for (size_t i = columns.size(); i-- > 0;) {
    const auto column = static_cast<size_t>(columns[i]);
    const double tests = correction == Correction::kFdr ? static_cast<double>(i + 1) : 1.0;
    const double own = std::min(1.0, p_values[column] * num_columns / tests);
    least = std::min(least, own);
    corrected[column] = correction == Correction::kFdr ? least : own;
  }
  return corrected;
}

double SpentAlpha(double alpha, int64_t n) {
  const auto square = static_cast<double>(n) * static_cast<double>(n);
  return alpha * 6 / (std::numbers::pi * std::numbers::pi * square);
}

}  // namespace tidemill::supervisor::statistics

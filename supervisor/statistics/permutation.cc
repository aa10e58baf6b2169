#include "supervisor/statistics/permutation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tidemill::supervisor::statistics {
namespace {

// n choose k, or `limit` + 1 when that is more.
int64_t Choose(int64_t n, int64_t k, int64_t limit) {
  unsigned __int128 ways = 1;
  for (int64_t i = 1; i <= std::min(k, n - k); ++i) {
    ways = ways * static_cast<unsigned __int128>(n - i + 1) / static_cast<unsigned __int128>(i);
    if (ways > static_cast<unsigned __int128>(limit)) return limit + 1;
  }
  return static_cast<int64_t>(ways);
}

// Whether a split is as far apart as the observed one, rounding aside.
bool AsFar(double permuted, double observed) {
  return permuted >= observed - 1e-12 * std::max(1.0, std::abs(observed));
}

// The `index`-th subset of n among all of [0, n + m), in lexicographic order, then the rest.
std::vector<int64_t> Subset(int64_t n, int64_t m, int64_t index) {
  std::vector<int64_t> inside, outside;
  int64_t left = n;
  for (int64_t row = 0; row < n + m; ++row) {
    const int64_t rows_after = n + m - row - 1;
    const int64_t with =
        left == 0 ? 0 : Choose(rows_after, left - 1, std::numeric_limits<int64_t>::max() - 1);
    if (index < with) {
      inside.push_back(row);
      --left;
    } else {
      index -= with;
      outside.push_back(row);
    }
  }
  inside.insert(inside.end(), outside.begin(), outside.end());
  return inside;
}

// The values of a column in ascending order, and the rows that they are of.
struct SortedColumn {
  std::vector<double> values;
  std::vector<int64_t> rows;

  SortedColumn(const Rows& all, int64_t column) {
    for (int64_t row = 0; row < all.num_rows(); ++row) {
      if (!std::isnan(all[row][static_cast<size_t>(column)])) rows.push_back(row);
    }
    const auto value_of = [&](int64_t row) { return all[row][static_cast<size_t>(column)]; };
    std::sort(rows.begin(), rows.end(), [&](int64_t left, int64_t right) {
      return std::pair(value_of(left), left) < std::pair(value_of(right), right);
    });
    for (const int64_t row : rows) values.push_back(value_of(row));
  }

  // Splits the values by the part of their rows.
  void Split(const std::vector<bool>& is_reference, std::vector<double>& reference,
             std::vector<double>& current) const {
    reference.clear();
    current.clear();
    for (size_t i = 0; i < rows.size(); ++i) {
      (is_reference[static_cast<size_t>(rows[i])] ? reference : current).push_back(values[i]);
    }
  }
};

}  // namespace

Splits::Splits(int64_t n, int64_t m, int64_t permutations, int64_t seed)
    : n_(n), m_(m), seed_(seed) {
  const int64_t ways = Choose(n + m, n, permutations + 1);
  // The observed split is one of them.
  all_ = ways - 1 <= permutations;
  num_splits_ = all_ ? ways - 1 : permutations;
}

std::vector<int64_t> Splits::At(int64_t index) const {
  // The subset of number 0 is the observed split.
  if (all_) return Subset(n_, m_, index + 1);
  std::vector<int64_t> rows(static_cast<size_t>(n_ + m_));
  std::iota(rows.begin(), rows.end(), 0);
  DrawFirst(rows, n_, {.seed = seed_, .purpose = "permutation", .epoch = index});
  return rows;
}

PermutationP PermutationTest(const Rows& reference, const Rows& current,
                             const TwoSampleStatistic& statistic,
                             const PermutationOptions& options) {
  const std::vector<double> pooled = Pool(reference, current);
  const Rows rows = {pooled, reference.num_columns};
  const Splits splits(reference.num_rows(), current.num_rows(), options.permutations, options.seed);
  PermutationP result = {.observed = statistic(reference, current)};
  // The least count that takes (b + 1) / (B + 1) above the level.
  const auto enough = static_cast<int64_t>(
      options.stop_above ? *options.stop_above * static_cast<double>(splits.num_splits() + 1)
                         : static_cast<double>(splits.num_splits()));
  for (int64_t index = 0; index < splits.num_splits() && !options.stop.stop_requested(); ++index) {
    const std::vector<double> mixed = Gather(rows, splits.At(index));
    const std::span<const double> all = mixed;
    const double permuted = statistic({all.first(reference.values.size()), rows.num_columns},
                                      {all.subspan(reference.values.size()), rows.num_columns});
    result.at_least += AsFar(permuted, result.observed) ? 1 : 0;
    ++result.drawn;
    if (options.stop_above && result.at_least > enough) {
      result.p_value = static_cast<double>(result.at_least) / static_cast<double>(result.drawn);
      return result;
    }
  }
  result.p_value = static_cast<double>(result.at_least + 1) / static_cast<double>(result.drawn + 1);
  return result;
}

PermutationP PermutationTest(const Rows& reference, const Rows& current,
                             std::span<const int64_t> columns, const ColumnStatistic& statistic,
                             const PermutationOptions& options) {
  const std::vector<double> pooled = Pool(reference, current);
  const Rows rows = {pooled, reference.num_columns};
  std::vector<SortedColumn> sorted;
  for (const int64_t column : columns) sorted.emplace_back(rows, column);
  std::vector<double> x, y;
  const auto greatest = [&](const std::vector<bool>& is_reference) {
    double score = 0;
    for (const SortedColumn& column : sorted) {
      column.Split(is_reference, x, y);
      // A split may leave a part of a column that has few values without any.
      if (!x.empty() && !y.empty()) score = std::max(score, statistic(x, y));
    }
    return score;
  };
  const auto n = static_cast<size_t>(reference.num_rows());
  const Splits splits(reference.num_rows(), current.num_rows(), options.permutations, options.seed);
  std::vector<bool> is_reference(static_cast<size_t>(rows.num_rows()));
  std::fill_n(is_reference.begin(), n, true);
  const double observed = greatest(is_reference);
  std::vector<double> permuted;
  for (int64_t index = 0; index < splits.num_splits() && !options.stop.stop_requested(); ++index) {
    const std::vector<int64_t> split = splits.At(index);
    std::fill(is_reference.begin(), is_reference.end(), false);
    for (size_t i = 0; i < n; ++i) is_reference[static_cast<size_t>(split[i])] = true;
    permuted.push_back(greatest(is_reference));
  }
  return PermutationPOf(observed, permuted);
}

PermutationP PermutationPOf(double observed, std::span<const double> permuted) {
  PermutationP result = {.drawn = static_cast<int64_t>(permuted.size()), .observed = observed};
  result.at_least = std::count_if(permuted.begin(), permuted.end(),
                                  [&](double value) { return AsFar(value, observed); });
  result.p_value = static_cast<double>(result.at_least + 1) / static_cast<double>(result.drawn + 1);
  return result;
}

}  // namespace tidemill::supervisor::statistics

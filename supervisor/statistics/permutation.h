// Permutation tests: how often would a random split of the same rows look as different?
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "supervisor/statistics/rows.h"

namespace tidemill::supervisor::statistics {

// A statistic of (reference, current) that grows with their difference.
using TwoSampleStatistic = std::function<double(const Rows& reference, const Rows& current)>;

struct PermutationOptions {
  // The number of random splits. The least possible p-value is 1 / (permutations + 1).
  int64_t permutations = 100;
  int64_t seed = 0;
  // Stops as soon as p can no longer be at most this level. Without drift, this saves most of the
  // splits. p is then the share among the drawn splits (Besag and Clifford, "Sequential Monte Carlo
  // p-values", 1991). When absent, all splits are drawn.
  std::optional<double> stop_above = std::nullopt;
  // After a stop, the function returns soon with a meaningless result.
  std::stop_token stop = {};
};

struct PermutationP {
  // (b + 1) / (B + 1), where b of B splits are at least as far apart as the observed one. It is
  // never 0, and without drift P(p <= a) <= a for every a (Phipson and Smyth, "Permutation p-values
  // should never be zero", 2010). After an early stop, it is b / B.
  double p_value = 1;
  int64_t at_least = 0;
  int64_t drawn = 0;
  double observed = 0;
};

// The other ways to split n + m rows into n and m. When there are no more than requested, each
// comes once, which makes p exact. Otherwise each is an independent draw, a pure function of (seed,
// index).
class Splits {
 public:
  Splits(int64_t n, int64_t m, int64_t permutations, int64_t seed);

  int64_t num_splits() const { return num_splits_; }
  // Returns a permutation of [0, n + m). Its first n numbers are the first part.
  std::vector<int64_t> At(int64_t index) const;

 private:
  int64_t n_;
  int64_t m_;
  int64_t seed_;
  bool all_;
  int64_t num_splits_;
};

// Time (permutations + 1) x (that of the statistic + O((n + m) columns)), memory O((n + m)
// columns). The statistic must not depend on the order of rows. Ties up to 1e-12 count as "at
// least".
PermutationP PermutationTest(const Rows& reference, const Rows& current,
                             const TwoSampleStatistic& statistic,
                             const PermutationOptions& options);

// A statistic of one column of (reference, current), both ascending.
using ColumnStatistic =
    std::function<double(std::span<const double> reference, std::span<const double> current)>;

// The same for the greatest statistic of any of `columns`, each of the rows that have a value in
// it: the greatest of all is compared with the greatest of each split, so that no correction is
// needed (Westfall and Young, "Resampling-based multiple testing", 1993). Each column is sorted
// once. Time O(rows log rows) for each column, and permutations + 1 times that of the statistic for
// values in order.
PermutationP PermutationTest(const Rows& reference, const Rows& current,
                             std::span<const int64_t> columns, const ColumnStatistic& statistic,
                             const PermutationOptions& options);

// Returns the p-value for statistics that were computed elsewhere. `permuted` are as drawn, without
// an early stop.
PermutationP PermutationPOf(double observed, std::span<const double> permuted);

}  // namespace tidemill::supervisor::statistics

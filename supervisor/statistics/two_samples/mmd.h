// Maximum mean discrepancy: the distance of the means of two samples of rows in the space of a
// kernel (Gretton, Borgwardt, Rasch, Schoelkopf and Smola, "A kernel two-sample test", JMLR 2012).
//
// The kernel is k(a, b) = exp(-|a - b|^2 / (2 width^2)). With several widths, it is their average.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "base/status.h"
#include "supervisor/statistics/false_alarms.h"
#include "supervisor/statistics/permutation.h"
#include "supervisor/statistics/rows.h"

namespace tidemill::supervisor::statistics {

// Returns the width of the median heuristic: width^2 is half of the median squared distance of two
// different rows of `rows`, or of one row of each (Gretton, section 8). When the median is 0, the
// greatest distance is used. When all rows are equal, the width is 1. For an even number of
// distances, the lower middle one is the median. From more than 1000 rows, 1000 are drawn: O(1e6
// columns) time, 8 MB.
double MedianWidth(const Rows& rows, int64_t seed = 0);
double MedianWidth(const Rows& reference, const Rows& current, int64_t seed = 0);

struct MmdOptions {
  // The kernel widths. Empty means the median heuristic on all rows of both windows. Every split of
  // the rows then has the same kernel, so that permutation p-values stay exact.
  std::vector<double> widths = {};
  // The number of splits for the p-value; 0 computes none. See permutation.h.
  int64_t permutations = 0;
  int64_t seed = 0;
  // The most rows of each window that are compared. From more rows, this number is drawn. The cost
  // of the quadratic estimator grows with its square.
  int64_t most_rows = 2000;
  // After a stop, the function returns soon with a meaningless result.
  std::stop_token stop = {};
};

struct Mmd {
  // The unbiased estimate (Gretton, equation 3). It is 0 on average without drift, and negative
  // half of the time. Needs two rows on each side; otherwise NaN.
  double squared = 0;
  // The biased estimate (equation 5). It is never negative.
  double squared_biased = 0;
  // The p-value of `squared`; 1 when no permutations were requested.
  PermutationP permutation = {};
  std::vector<double> widths;
};

// The estimator over all pairs of rows. The kernel matrix of N = n + m rows is made and used in
// blocks of 256 x 256 entries, and is never in memory as a whole: O(N^2 columns) time, O(N columns)
// memory. Permutations go through the same matrix together (window_distances.h).
Mmd MmdTest(const Rows& reference, const Rows& current, const MmdOptions& options);

// Returns Mmd::squared of the windows that DrawWindows() draws from `rows`, which need two rows
// each. Without widths, the median heuristic on all rows is used. Returns the errors of
// DrawWindows(). The time is as in window_distances.h.
absl::StatusOr<std::vector<double>> SquaredOfDraws(const Rows& rows, const NullScores& wanted,
                                                   std::vector<double> widths, int64_t seed);

struct LinearMmd {
  double squared = 0;
  // From the limit, a normal distribution, with the variance of the terms.
  double p_value = 1;
  int64_t num_terms = 0;
};

// The estimator over floor(min(n, m) / 2) pairs of pairs, each row used once (Gretton, lemma 14 and
// corollary 16): O(N columns) time and memory, without a limit on rows. It needs many more rows to
// find the same drift. Rows are paired in an order drawn from the seed, because neighbours in a
// stream are not independent. Needs four rows on each side; otherwise p is 1. `permutations` and
// `most_rows` are ignored.
LinearMmd LinearMmdTest(const Rows& reference, const Rows& current, const MmdOptions& options);

}  // namespace tidemill::supervisor::statistics

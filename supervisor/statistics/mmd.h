// Maximum mean discrepancy: the distance of two samples of rows as means in the space of a kernel
// (Gretton, Borgwardt, Rasch, Schoelkopf and Smola, "A kernel two-sample test", JMLR 2012).
//
// The kernel is k(a, b) = exp(-|a - b|^2 / (2 width^2)), averaged over widths if there are several.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supervisor/statistics/permutation.h"
#include "supervisor/statistics/rows.h"

namespace tidemill::supervisor::statistics {

// The width of the median heuristic: width^2 is half of the median squared distance of two
// different rows of `rows`, or of one row of each (Gretton, section 8); the greatest one where the
// median is 0, and 1 when all rows are equal. Of an even
// number of distances the lower middle one is taken. More than 1000 rows are drawn from: O(1e6
// columns) time, 8 MB.
double MedianWidth(const Rows& rows, int64_t seed = 0);
double MedianWidth(const Rows& reference, const Rows& current, int64_t seed = 0);

struct MmdOptions {
  // Kernel widths. Empty: the median heuristic on all rows of both windows, which gives each split
  // of them the same kernel and so leaves permutation p-values exact.
  std::vector<double> widths = {};
  // Splits for the p-value; 0 computes none. See permutation.h.
  int64_t permutations = 0;
  int64_t seed = 0;
  // Rows of each window that are compared; of more so many are drawn. What the quadratic estimator
  // costs is the square of it.
  int64_t most_rows = 2000;
};

struct Mmd {
  // Without bias (Gretton, equation 3): 0 on average without drift, negative half of the time.
  // Needs two rows on each side; NaN otherwise.
  double squared = 0;
  // With bias (equation 5): never negative.
  double squared_biased = 0;
  // Of `squared`; 1 where no permutations were asked for.
  PermutationP permutation = {};
  std::vector<double> widths;
};

// The estimator over all pairs of rows. The kernel matrix of N = n + m rows is made and used in
// blocks of 256 x 256 entries and never stands as a whole: O(N^2 (columns + permutations)) time,
// O(N (columns + permutations)) memory.
Mmd MmdTest(const Rows& reference, const Rows& current, const MmdOptions& options);

// The kernel of many rows, for the distances of window after window that are drawn from them: it is
// computed once, in single precision, and a distance then takes one look at each pair of its rows.
// Time O(rows^2 columns) and memory 4 rows^2 bytes for all; O(N^2) time for windows of N rows
// together. Immutable, hence thread-safe.
class KernelOfRows {
 public:
  // Without widths: the median heuristic on all of the rows.
  KernelOfRows(const Rows& rows, std::vector<double> widths, int64_t seed);

  // As Mmd::squared, of the rows of these numbers; at least two on each side.
  double Squared(std::span<const int64_t> reference, std::span<const int64_t> current) const;

 private:
  double SumWithin(std::span<const int64_t> numbers) const;

  int64_t num_rows_;
  std::vector<float> kernel_;
};

struct LinearMmd {
  double squared = 0;
  // From the limit, a normal distribution, with the variance of the terms.
  double p_value = 1;
  int64_t num_terms = 0;
};

// The estimator over floor(min(n, m) / 2) pairs of pairs, each row used once (Gretton, lemma 14 and
// corollary 16): O(N columns) time and memory, without a cap on rows, but it needs many more rows
// to see the same drift. Rows are paired in an order drawn from the seed, as neighbours of a stream
// are not independent. Needs four rows on each side; p is 1 otherwise. `permutations` and
// `most_rows` are not looked at.
LinearMmd LinearMmdTest(const Rows& reference, const Rows& current, const MmdOptions& options);

}  // namespace tidemill::supervisor::statistics

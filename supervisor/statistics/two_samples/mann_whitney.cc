#include "supervisor/statistics/two_samples/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "supervisor/statistics/distributions.h"
#include "supervisor/statistics/two_samples/merged.h"

namespace tidemill::supervisor::statistics {
namespace {

constexpr int64_t kMostForExact = 20;

// P(U >= wins) of n and m values: the coefficients of the Gaussian binomial, which is the product
// over k = 1 ... n of (1 - q^(m + k)) / (1 - q^k), count the orders in which U is the exponent.
double ExactTail(int64_t n, int64_t m, double wins) {
  std::vector<double> ways(static_cast<size_t>(n * m + 1), 0);
  const auto last = static_cast<int64_t>(ways.size()) - 1;
  ways[0] = 1;
  for (int64_t k = 1; k <= n; ++k) {
    for (int64_t u = last; u >= m + k; --u) {
      ways[static_cast<size_t>(u)] -= ways[static_cast<size_t>(u - m - k)];
    }
    for (int64_t u = k; u <= last; ++u) {
      ways[static_cast<size_t>(u)] += ways[static_cast<size_t>(u - k)];
    }
  }
  const auto from = ways.begin() + static_cast<int64_t>(std::ceil(wins));
  return std::accumulate(from, ways.end(), 0.0) / std::accumulate(ways.begin(), ways.end(), 0.0);
}

}  // namespace

MannWhitney MannWhitneyTest(std::span<const double> reference, std::span<const double> current,
                            Alternative alternative) {
  const auto n = static_cast<int64_t>(reference.size());
  const auto m = static_cast<int64_t>(current.size());
  double wins = 0, ties = 0;
  bool tied = false;
  int64_t i = 0, j = 0;
  VisitMerged(reference, current, [&](const MergedValue& value) {
    const auto x = static_cast<double>(value.num_reference - i);
    const auto y = static_cast<double>(value.num_current - j);
    wins += y * (static_cast<double>(i) + x / 2);
    ties += std::pow(x + y, 3) - (x + y);
    tied |= x > 0 && y > 0;
    i = value.num_reference;
    j = value.num_current;
  });
  const double rows = static_cast<double>(n + m);
  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  MannWhitney result = {.roc_auc = wins / pairs};
  result.exact = std::max(n, m) <= kMostForExact && !tied;
  double extreme = wins;
  if (alternative == Alternative::kLess) extreme = pairs - wins;
  if (alternative == Alternative::kTwoSided) extreme = std::max(wins, pairs - wins);
  if (result.exact) {
    result.p_value = ExactTail(n, m, extreme);
  } else {
    const double variance = pairs / 12 * (rows + 1 - ties / (rows * (rows - 1)));
    // Nothing but ties says nothing.
    result.p_value = variance > 0 ? NormalTail((extreme - pairs / 2) / std::sqrt(variance)) : 1;
  }
  if (alternative == Alternative::kTwoSided) result.p_value = std::min(2 * result.p_value, 1.0);
  return result;
}

}  // namespace tidemill::supervisor::statistics

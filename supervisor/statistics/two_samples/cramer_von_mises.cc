#include "supervisor/statistics/two_samples/cramer_von_mises.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "supervisor/statistics/distributions.h"
#include "supervisor/statistics/two_samples/merged.h"

namespace tidemill::supervisor::statistics {
namespace {

constexpr int64_t kMaxExact = 20;

// How many paths reach a point with a given sum of squares, ascending by that sum.
struct Frequency {
  int64_t sum;
  double num_paths;
};
using Frequencies = std::vector<Frequency>;

// The paths of both, each with `square` added to its sum.
Frequencies Join(const Frequencies& left, const Frequencies& right, int64_t square) {
  Frequencies joined;
  joined.reserve(left.size() + right.size());
  size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    const bool from_left = j == right.size() || (i < left.size() && left[i].sum <= right[j].sum);
    Frequency next = from_left ? left[i++] : right[j++];
    if (from_left && j < right.size() && right[j].sum == next.sum) {
      next.num_paths += right[j++].num_paths;
    }
    next.sum += square;
    joined.push_back(next);
  }
  return joined;
}

// The paths to (n, m) by their sum of (a i - b j)^2, a n = b m being the least common multiple.
Frequencies CountPaths(int64_t n, int64_t m) {
  const int64_t a = std::lcm(n, m) / n, b = std::lcm(n, m) / m;
  const Frequencies none;
  std::vector<Frequencies> to(static_cast<size_t>(n) + 1);
  to[0] = {{0, 1}};
  for (int64_t j = 0; j <= m; ++j) {
    for (int64_t i = j == 0 ? 1 : 0; i <= n; ++i) {
      const auto at = static_cast<size_t>(i);
      to[at] = Join(i > 0 ? to[at - 1] : none, to[at], (a * i - b * j) * (a * i - b * j));
    }
  }
  return to.back();
}

// Sum over k = from + 1 ... from + count of (mean_rank - k)^2.
double SquaresFrom(double mean_rank, int64_t from, int64_t count) {
  double sum = 0;
  for (int64_t k = from + 1; k <= from + count; ++k) {
    sum += std::pow(mean_rank - static_cast<double>(k), 2);
  }
  return sum;
}

}  // namespace

double CramerVonMisesExactP(double statistic, int64_t n, int64_t m) {
  // T = n m / (n + m)^2 sum (i / n - j / m)^2 over the path, whose terms are whole in units of the
  // least common multiple.
  const double both = static_cast<double>(n + m);
  const double observed = statistic * both * both / static_cast<double>(n * m) *
                          std::pow(static_cast<double>(std::lcm(n, m)), 2);
  double all = 0, as_far = 0;
  for (const Frequency& frequency : CountPaths(n, m)) {
    all += frequency.num_paths;
    if (static_cast<double>(frequency.sum) >= observed - 1e-6) as_far += frequency.num_paths;
  }
  return as_far / all;
}

double CramerVonMisesLimitP(double statistic, int64_t n, int64_t m) {
  const double rows = static_cast<double>(n + m);
  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  const double squares = std::pow(static_cast<double>(n), 2) + std::pow(static_cast<double>(m), 2);
  const double mean = (1 + 1 / rows) / 6;
  const double variance =
      (rows + 1) * (4 * pairs * rows - 3 * squares - 2 * pairs) / (180 * rows * rows * pairs);
  return CramerVonMisesTail(1.0 / 6 + (statistic - mean) / std::sqrt(45 * variance));
}

CramerVonMises CramerVonMisesTest(std::span<const double> reference,
                                  std::span<const double> current) {
  const auto n = static_cast<int64_t>(reference.size());
  const auto m = static_cast<int64_t>(current.size());
  double of_reference = 0, of_current = 0;
  int64_t i = 0, j = 0;
  VisitMerged(reference, current, [&](const MergedValue& value) {
    const double mean_rank =
        static_cast<double>(i + j + 1 + value.num_reference + value.num_current) / 2;
    of_reference += SquaresFrom(mean_rank, i, value.num_reference - i);
    of_current += SquaresFrom(mean_rank, j, value.num_current - j);
    i = value.num_reference;
    j = value.num_current;
  });
  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  const double rows = static_cast<double>(n + m);
  const double u = static_cast<double>(n) * of_reference + static_cast<double>(m) * of_current;
  CramerVonMises result = {.statistic = u / (pairs * rows) - (4 * pairs - 1) / (6 * rows)};
  result.exact = std::max(n, m) <= kMaxExact;
  result.p_value = result.exact ? CramerVonMisesExactP(result.statistic, n, m)
                                : CramerVonMisesLimitP(result.statistic, n, m);
  return result;
}

}  // namespace tidemill::supervisor::statistics

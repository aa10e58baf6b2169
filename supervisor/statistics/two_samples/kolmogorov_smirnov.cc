#include "supervisor/statistics/two_samples/kolmogorov_smirnov.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "supervisor/statistics/distributions.h"
#include "supervisor/statistics/two_samples/merged.h"

namespace tidemill::supervisor::statistics {
namespace {

constexpr double kMaxPairs = 1e8;
constexpr double kManyPairs = 1e6;
constexpr double kNegligible = 1e-30;

int64_t FloorDivide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

// The values of j for which (i, j) is inside the boundary: lo <= j <= hi.
struct Band {
  int64_t lo;
  int64_t hi;
};

Band BandOf(int64_t i, int64_t n, int64_t m, int64_t steps, Alternative alternative) {
  Band band = {0, m};
  // i m - j n >= steps is outside.
  if (alternative != Alternative::kLess) band.lo = FloorDivide(i * m - steps, n) + 1;
  // j n - i m >= steps is outside.
  if (alternative != Alternative::kGreater) band.hi = FloorDivide(i * m + steps - 1, n);
  return {std::max<int64_t>(band.lo, 0), std::min(band.hi, m)};
}

}  // namespace

double KolmogorovSmirnovExactP(int64_t n, int64_t m, int64_t steps, Alternative alternative) {
  if (steps <= 0) return 1;
  // touched[j + 1]: the share of paths to (i, j) that have touched; outside the boundary all have.
  std::vector<double> touched(static_cast<size_t>(m) + 2, 1.0);
  for (int64_t i = 0; i <= n; ++i) {
    const Band band = BandOf(i, n, m, steps, alternative);
    if (band.lo > band.hi) continue;
    double* const at = touched.data() + 1;
    at[band.lo - 1] = 1;
    for (int64_t j = band.lo; j <= band.hi; ++j) {
      if (i + j == 0) {
        at[j] = 0;
      } else {
        // A path comes from (i - 1, j) with probability i / (i + j), else from (i, j - 1).
        at[j] = (at[j] * static_cast<double>(i) + at[j - 1] * static_cast<double>(j)) /
                static_cast<double>(i + j);
      }
    }
  }
  const Band last = BandOf(n, n, m, steps, alternative);
  return last.lo <= m && m <= last.hi ? touched[static_cast<size_t>(m) + 1] : 1;
}

double KolmogorovSmirnovLimitP(int64_t n, int64_t m, double distance, Alternative alternative) {
  const double rows = static_cast<double>(n) * static_cast<double>(m) / static_cast<double>(n + m);
  if (alternative == Alternative::kTwoSided) return KolmogorovTail(std::sqrt(rows) * distance);
  return std::exp(-2 * rows * distance * distance);
}

KolmogorovSmirnov KolmogorovSmirnovTest(std::span<const double> reference,
                                        std::span<const double> current, Alternative alternative) {
  const auto n = static_cast<int64_t>(reference.size());
  const auto m = static_cast<int64_t>(current.size());
  int64_t steps = 0;
  VisitMerged(reference, current, [&](const MergedValue& value) {
    const int64_t greater = value.num_reference * m - value.num_current * n;
    if (alternative != Alternative::kLess) steps = std::max(steps, greater);
    if (alternative != Alternative::kGreater) steps = std::max(steps, -greater);
  });
  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  KolmogorovSmirnov result = {.distance = static_cast<double>(steps) / pairs};
  const double limit = KolmogorovSmirnovLimitP(n, m, result.distance, alternative);
  result.exact = pairs <= kMaxPairs && (pairs < kManyPairs || limit >= kNegligible);
  result.p_value = result.exact ? KolmogorovSmirnovExactP(n, m, steps, alternative) : limit;
  return result;
}

}  // namespace tidemill::supervisor::statistics

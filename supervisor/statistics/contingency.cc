#include "supervisor/statistics/contingency.h"

#include <algorithm>

#include "supervisor/statistics/distributions.h"

namespace tidemill::supervisor::statistics {
double FisherExactP(int64_t a, int64_t b, int64_t c, int64_t d) {
  const int64_t marked = a + c, draws = a + b, total = a + b + c + d;
  const double observed = HypergeometricProbability(a, marked, draws, total);
  double p_value = 0;
  for (int64_t hits = std::max<int64_t>(0, marked + draws - total); hits <= std::min(marked, draws);
       ++hits) {
    const double probability = HypergeometricProbability(hits, marked, draws, total);
    // Tables that are equally likely differ by rounding.
    if (probability <= observed * (1 + 1e-9)) p_value += probability;
  }
  return std::min(p_value, 1.0);
}

}  // namespace tidemill::supervisor::statistics

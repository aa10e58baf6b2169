#include "supervisor/statistics/contingency.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "supervisor/statistics/distributions.h"

namespace tidemill::supervisor::statistics {
namespace {

double Sum(std::span<const int64_t> counts) {
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
}

double Deviation(double observed, double expected) {
  return (observed - expected) * (observed - expected) / expected;
}

ChiSquared Finish(double statistic, int64_t num_classes) {
  ChiSquared result = {.statistic = statistic, .degrees_of_freedom = num_classes - 1};
  if (num_classes > 1) {
    result.p_value = ChiSquaredTail(statistic, static_cast<double>(num_classes - 1));
  }
  return result;
}

}  // namespace

ChiSquared ChiSquaredTest(std::span<const int64_t> reference, std::span<const int64_t> current) {
  const double share = Sum(reference) / (Sum(reference) + Sum(current));
  double statistic = 0;
  int64_t num_classes = 0;
  for (size_t i = 0; i < reference.size(); ++i) {
    const auto both = static_cast<double>(reference[i] + current[i]);
    if (both == 0) continue;
    ++num_classes;
    statistic += Deviation(static_cast<double>(reference[i]), both * share) +
                 Deviation(static_cast<double>(current[i]), both * (1 - share));
  }
  return Finish(statistic, num_classes);
}

ChiSquared GoodnessOfFit(std::span<const int64_t> observed, std::span<const int64_t> expected) {
  const double scale = Sum(observed) / Sum(expected);
  double statistic = 0;
  for (size_t i = 0; i < observed.size(); ++i) {
    statistic +=
        Deviation(static_cast<double>(observed[i]), scale * static_cast<double>(expected[i]));
  }
  return Finish(statistic, static_cast<int64_t>(observed.size()));
}

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

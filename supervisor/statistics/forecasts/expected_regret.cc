#include "supervisor/statistics/forecasts/expected_regret.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supervisor/statistics/distributions.h"

namespace tidemill::supervisor::statistics {

NormalBelief ErrorBelief(double errors, double rows) {
  const double mean = (errors + 0.5) / (rows + 1);
  return {.mean = mean, .variance = mean * (1 - mean) / (rows + 2)};
}

double ExcessRegret(const NormalBelief& kept, const NormalBelief& made) {
  const double difference = kept.mean - made.mean;
  const double deviation = std::sqrt(kept.variance + made.variance);
  if (deviation == 0) return std::max(0.0, difference);
  const double z = difference / deviation;
  const double density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return deviation * (density + z * NormalTail(-z) - std::numbers::inv_sqrtpi);
}

}  // namespace tidemill::supervisor::statistics

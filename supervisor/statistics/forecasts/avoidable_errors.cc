#include "supervisor/statistics/forecasts/avoidable_errors.h"

#include <algorithm>
#include <cmath>

namespace tidemill::supervisor::statistics {

int64_t AvoidableErrors::Add(int64_t num_errors, int64_t num_samples, double expected_accuracy,
                             bool may_fall) {
  const double expected = (1 - expected_accuracy) * static_cast<double>(num_samples);
  double avoidable = static_cast<double>(num_errors) - expected;
  if (!may_fall) avoidable = std::max(avoidable, 0.0);
  const int64_t added = std::llround(avoidable);
  count += added;
  return added;
}

double AvoidableErrors::Ahead(int64_t num_samples, double forecast_accuracy,
                              double expected_accuracy) const {
  return static_cast<double>(count) +
         (expected_accuracy - forecast_accuracy) * static_cast<double>(num_samples);
}

}  // namespace tidemill::supervisor::statistics

// Forecasts the next value of a short series by lines and averages.
#pragma once

#include <cstdint>
#include <span>

namespace tidemill::supervisor::statistics {

// y = intercept + slope x.
struct Line {
  double intercept = 0;
  double slope = 0;

  double At(double x) const { return intercept + slope * x; }
};

// Returns the line that minimises the sum of squared errors plus alpha slope^2; the intercept has
// no penalty (Hoerl and Kennard, "Ridge regression", 1970, on centred columns). Through one point,
// or points with one x, it is a constant. Needs at least one point. O(n).
Line FitRidge(std::span<const double> x, std::span<const double> y, double alpha);

enum class ForecastMethod : uint8_t {
  // The line over the number of the value, with alpha 0.5, one step ahead. With fewer than five
  // values, the mean.
  kRidge,
  kRollingAverage,
};

// Returns the next value of a series, oldest first, which must not be empty. O(n).
double ForecastNext(std::span<const double> series, ForecastMethod method);

// Does the same for a series of shares, such as accuracies. The result is kept in [0, 1].
double ForecastNextShare(std::span<const double> series, ForecastMethod method);

}  // namespace tidemill::supervisor::statistics

// What comes next, from what came before: lines and averages through short series.
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

// The line that minimises the sum of squared errors plus alpha slope^2, the intercept unpenalised
// (Hoerl and Kennard, "Ridge regression", 1970, on centred columns). A constant through one point
// or points of one x. At least one point. O(n).
Line FitRidge(std::span<const double> x, std::span<const double> y, double alpha);

enum class ForecastMethod : uint8_t {
  // The line over the number of the value, with alpha 0.5, one step on. Of fewer than five values
  // the mean.
  kRidge,
  kRollingAverage,
};

// The next value of a series of at least one, oldest first. O(n).
double ForecastNext(std::span<const double> series, ForecastMethod method);

// The same of a series of shares, such as accuracies, kept in [0, 1].
double ForecastNextShare(std::span<const double> series, ForecastMethod method);

}  // namespace tidemill::supervisor::statistics

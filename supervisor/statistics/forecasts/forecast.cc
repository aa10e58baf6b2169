#include "supervisor/statistics/forecasts/forecast.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tidemill::supervisor::statistics {
namespace {

constexpr size_t kLeastForLine = 5;
constexpr double kSeriesAlpha = 0.5;

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Line FitRidge(std::span<const double> x, std::span<const double> y, double alpha) {
  const double mean_x = Mean(x), mean_y = Mean(y);
  double together = 0, squares = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    together += (x[i] - mean_x) * (y[i] - mean_y);
    squares += (x[i] - mean_x) * (x[i] - mean_x);
  }
  const double slope = squares > 0 ? together / (squares + alpha) : 0;
  return {.intercept = mean_y - slope * mean_x, .slope = slope};
}

double ForecastNext(std::span<const double> series, ForecastMethod method) {
  if (method == ForecastMethod::kRollingAverage || series.size() < kLeastForLine) {
    return Mean(series);
  }
  std::vector<double> numbers(series.size());
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return FitRidge(numbers, series, kSeriesAlpha).At(static_cast<double>(series.size()));
}

double ForecastNextShare(std::span<const double> series, ForecastMethod method) {
  return std::clamp(ForecastNext(series, method), 0.0, 1.0);
}

}  // namespace tidemill::supervisor::statistics

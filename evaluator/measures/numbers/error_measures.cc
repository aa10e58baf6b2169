#include "evaluator/measures/numbers/error_measures.h"

#include <cmath>

#include "evaluator/measures/measures.h"
#include "evaluator/measures/numbers/real_errors.h"

namespace tidemill::evaluator {

namespace {

std::optional<double> MaeOf(const RealErrors& errors) {
  return errors.absolute / static_cast<double>(errors.num_samples);
}

}  // namespace

std::unique_ptr<Accumulator> MeanAbsoluteError::NewAccumulator() const {
  return std::make_unique<RealErrorAccumulator>(&MaeOf);
}

TIDEMILL_PART(Measure, MeasureOf, MeanAbsoluteError)

namespace {

std::optional<double> RmseOf(const RealErrors& errors) {
  return std::sqrt(errors.squared / static_cast<double>(errors.num_samples));
}

}  // namespace

std::unique_ptr<Accumulator> RootMeanSquaredError::NewAccumulator() const {
  return std::make_unique<RealErrorAccumulator>(&RmseOf);
}

TIDEMILL_PART(Measure, MeasureOf, RootMeanSquaredError)

namespace {

// Differences from the mean that are smaller than this part of the values are rounding.
constexpr double kRounding = 1e-12;

std::optional<double> R2Of(const RealErrors& errors) {
  const double spread = errors.squared_values -
                        errors.values * errors.values / static_cast<double>(errors.num_samples);
  if (spread <= kRounding * errors.squared_values) return std::nullopt;
  return 1 - errors.squared / spread;
}

}  // namespace

std::unique_ptr<Accumulator> RSquared::NewAccumulator() const {
  return std::make_unique<RealErrorAccumulator>(&R2Of, /*with_sums=*/true);
}

TIDEMILL_PART(Measure, MeasureOf, RSquared)

}  // namespace tidemill::evaluator

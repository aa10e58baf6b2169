#include "evaluator/measures/r2.h"

#include "evaluator/measures/real_errors.h"

namespace tidemill::evaluator {
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

}  // namespace tidemill::evaluator

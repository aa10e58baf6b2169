#include "evaluator/measures/rmse.h"

#include <cmath>

#include "evaluator/measures/real_errors.h"

namespace tidemill::evaluator {
namespace {

std::optional<double> RmseOf(const RealErrors& errors) {
  return std::sqrt(errors.squared / static_cast<double>(errors.num_samples));
}

}  // namespace

std::unique_ptr<Accumulator> RootMeanSquaredError::NewAccumulator() const {
  return std::make_unique<RealErrorAccumulator>(&RmseOf);
}

}  // namespace tidemill::evaluator

#include "evaluator/measures/mae.h"

#include "evaluator/measures/real_errors.h"

namespace tidemill::evaluator {
namespace {

std::optional<double> MaeOf(const RealErrors& errors) {
  return errors.absolute / static_cast<double>(errors.num_samples);
}

}  // namespace

std::unique_ptr<Accumulator> MeanAbsoluteError::NewAccumulator() const {
  return std::make_unique<RealErrorAccumulator>(&MaeOf);
}

}  // namespace tidemill::evaluator

#include "results/known_measures.h"

#include <algorithm>
#include <array>

#include "evaluator/measures/measures.h"

namespace tidemill::results {

bool LowerIsBetter(std::string_view measure) {
  constexpr std::array<std::string_view, 8> kErrors = {
      "mae",   "rmse", "mse", "log_loss", "calibration_error", "expected_calibration_error",
      "brier", "loss"};
  return std::find(kErrors.begin(), kErrors.end(), measure) != kErrors.end();
}

bool IsShare(std::string_view measure) {
  return !LowerIsBetter(measure) && measure != "r2" && evaluator::MeasureNamed(measure) != nullptr;
}

bool IsOfValues(std::string_view measure) {
  return measure == "mae" || measure == "rmse" || measure == "mse" || measure == "r2";
}

}  // namespace tidemill::results

#include "models/training/schedules/polynomial.h"

#include <cmath>

namespace tidemill::models {

double Polynomial::LearningRateFactor(int64_t step, int64_t total) const {
  const double rest = 1 - ProgressAt(step, total);
  return final + (1 - final) * std::pow(rest, power);
}

}  // namespace tidemill::models

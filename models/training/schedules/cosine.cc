#include "models/training/schedules/cosine.h"

#include <cmath>
#include <numbers>

namespace tidemill::models {

double Cosine::LearningRateFactor(int64_t step, int64_t total) const {
  const double progress = ProgressAt(step, total);
  return final + (1 - final) * (1 + std::cos(std::numbers::pi * progress)) / 2;
}

}  // namespace tidemill::models

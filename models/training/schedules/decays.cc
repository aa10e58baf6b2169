#include "models/training/schedules/decays.h"

#include <cmath>
#include <numbers>

namespace tidemill::models {

double StepDecay::LearningRateFactor(int64_t step, int64_t total) const {
  return std::pow(factor, static_cast<double>(step / StepsOf(total)));
}

double Polynomial::LearningRateFactor(int64_t step, int64_t total) const {
  const double rest = 1 - ProgressAt(step, total);
  return final + (1 - final) * std::pow(rest, power);
}

double Cosine::LearningRateFactor(int64_t step, int64_t total) const {
  const double progress = ProgressAt(step, total);
  return final + (1 - final) * (1 + std::cos(std::numbers::pi * progress)) / 2;
}

}  // namespace tidemill::models

#include "models/training/schedules/step_decay.h"

#include <cmath>

namespace tidemill::models {

double StepDecay::LearningRateFactor(int64_t step, int64_t total) const {
  return std::pow(factor, static_cast<double>(step / StepsOf(total)));
}

}  // namespace tidemill::models

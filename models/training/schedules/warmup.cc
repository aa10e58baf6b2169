#include "models/training/schedules/warmup.h"

#include <algorithm>

namespace tidemill::models {

double Warmup::LearningRateFactor(int64_t step, int64_t total) const {
  const int64_t rise = StepsOf(total);
  if (step < rise) {
    return initial + (1 - initial) * static_cast<double>(step + 1) / static_cast<double>(rise);
  }
  return then->LearningRateFactor(step - rise, std::max<int64_t>(1, total - rise));
}

}  // namespace tidemill::models

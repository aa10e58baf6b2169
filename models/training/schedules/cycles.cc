#include "models/training/schedules/cycles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tidemill::models {
namespace {

// Along half a cosine, from one factor to another.
double Between(double from, double to, double progress) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * std::clamp(progress, 0.0, 1.0))) / 2;
}

}  // namespace

double OneCycle::LearningRateFactor(int64_t step, int64_t total) const {
  const auto last = static_cast<double>(StepsOf(total)) - 1;
  const double top = std::max(0.0, rise * (last + 1) - 1);  // The step with the full rate.
  const auto at = static_cast<double>(step);
  if (at <= top) return top == 0 ? 1 : Between(initial, 1, at / top);
  return Between(1, final, (at - top) / std::max(1.0, last - top));
}

double CosineRestarts::LearningRateFactor(int64_t step, int64_t total) const {
  int64_t length = StepsOf(total);
  if (growth == 1) {
    step %= length;
  } else {
    while (step >= length) {
      step -= length;
      length *= growth;
    }
  }
  return Between(1, final, static_cast<double>(step) / static_cast<double>(length));
}

}  // namespace tidemill::models

#include "models/training/schedule_spec.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/overloaded.h"

namespace tidemill::models {
namespace {

// In steps, at least one; the whole of `total` when nothing is said.
int64_t LengthOf(const ScheduleLength& length, int64_t total) {
  if (length.steps) return *length.steps;
  const double share = length.share.value_or(1);
  return std::max<int64_t>(1, std::llround(share * static_cast<double>(total)));
}

double ProgressOf(const ScheduleLength& length, int64_t step, int64_t total) {
  return std::min(1.0, static_cast<double>(step) / static_cast<double>(LengthOf(length, total)));
}

struct Factor {
  int64_t step;
  int64_t total;

  double operator()(const Constant&) const { return 1; }
  double operator()(const StepDecay& decay) const {
    return std::pow(decay.factor, static_cast<double>(step / LengthOf(decay, total)));
  }
  double operator()(const Cosine& cosine) const {
    const double progress = ProgressOf(cosine, step, total);
    return cosine.final + (1 - cosine.final) * (1 + std::cos(std::numbers::pi * progress)) / 2;
  }
  double operator()(const Polynomial& polynomial) const {
    const double rest = 1 - ProgressOf(polynomial, step, total);
    return polynomial.final + (1 - polynomial.final) * std::pow(rest, polynomial.power);
  }
  double operator()(const Warmup& warmup) const {
    const int64_t rise = LengthOf(warmup, total);
    if (step < rise) {
      return warmup.initial +
             (1 - warmup.initial) * static_cast<double>(step + 1) / static_cast<double>(rise);
    }
    return std::visit(Factor{step - rise, std::max<int64_t>(1, total - rise)}, warmup.then);
  }
};

}  // namespace

double LearningRateFactor(const ScheduleSpec& spec, int64_t step, int64_t total) {
  return std::visit(Factor{step, total}, spec);
}

}  // namespace tidemill::models

#include "evaluator/measures/real_errors.h"

#include <cmath>

namespace tidemill::evaluator {

void RealErrorAccumulator::Add(const Outcomes& outcomes) {
  if (outcomes.true_values.empty()) return;
  if (!has_origin_) sums_.origin = static_cast<double>(outcomes.true_values.front());
  has_origin_ = true;
  for (size_t i = 0; i < outcomes.true_values.size(); ++i) {
    const auto truth = static_cast<double>(outcomes.true_values[i]);
    const double error = static_cast<double>(outcomes.predicted_values[i]) - truth;
    const double value = truth - sums_.origin;
    const auto weight = static_cast<double>(outcomes.Weight(i));
    sums_.num_samples += outcomes.Weight(i);
    sums_.absolute += weight * std::abs(error);
    sums_.squared += weight * error * error;
    sums_.values += weight * value;
    sums_.squared_values += weight * value * value;
  }
}

// A network that diverged predicts what is no number.
std::optional<double> RealErrorAccumulator::Value() const {
  if (sums_.num_samples == 0) return std::nullopt;
  const std::optional<double> value = value_(sums_);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace tidemill::evaluator

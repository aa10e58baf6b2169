#include "evaluator/measures/numbers/real_errors.h"

#include <algorithm>
#include <cmath>

#include "nlohmann/json.hpp"

namespace tidemill::evaluator {

void RealErrorAccumulator::Add(const Outcomes& outcomes) {
  if (outcomes.true_values.empty()) return;
  if (!has_origin_) sums_.origin = static_cast<double>(outcomes.true_values.front());
  has_origin_ = true;
  for (size_t i = 0; i < outcomes.true_values.size(); ++i) {
    AddTo(sums_, outcomes, i, outcomes.Weight(i));
  }
}

void RealErrorAccumulator::AddTo(RealErrors& sums, const Outcomes& outcomes, size_t i,
                                 int64_t times) {
  const auto truth = static_cast<double>(outcomes.true_values[i]);
  const double error = static_cast<double>(outcomes.predicted_values[i]) - truth;
  const double value = truth - sums.origin;
  const auto weight = static_cast<double>(times);
  sums.num_samples += times;
  sums.absolute += weight * std::abs(error);
  sums.squared += weight * error * error;
  sums.values += weight * value;
  sums.squared_values += weight * value * value;
}

// A network that diverged predicts values that are not numbers.
std::optional<double> RealErrorAccumulator::Value() const {
  if (sums_.num_samples == 0) return std::nullopt;
  const std::optional<double> value = value_(sums_);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::vector<double> RealErrorAccumulator::Influence(const Outcomes& outcomes) const {
  std::vector<double> without(outcomes.true_values.size());
  for (size_t i = 0; i < without.size(); ++i) {
    RealErrors others = sums_;
    AddTo(others, outcomes, i, -1);
    const auto value = others.num_samples > 0 ? value_(others) : std::nullopt;
    if (!value) return {};
    without[i] = -*value;
  }
  return without;
}

std::string RealErrorAccumulator::Sums() const {
  if (!with_sums_ || sums_.num_samples == 0) return {};
  const auto samples = static_cast<double>(sums_.num_samples);
  const double spread = sums_.squared_values - sums_.values * sums_.values / samples;
  if (!std::isfinite(sums_.squared) || !std::isfinite(spread)) return {};
  return nlohmann::json({sums_.num_samples, sums_.squared, sums_.origin + sums_.values / samples,
                         std::max(0.0, spread)})
      .dump();
}

bool RealErrorAccumulator::AddSums(std::string_view sums) {
  const auto parsed = nlohmann::json::parse(sums, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_array() || parsed.size() != 4) return false;
  if (!std::all_of(parsed.begin(), parsed.end(), [](const auto& n) { return n.is_number(); })) {
    return false;
  }
  const double mean = parsed[2].get<double>();
  if (!has_origin_) sums_.origin = mean;
  has_origin_ = true;
  const auto samples = parsed[0].get<double>();
  const double distance = mean - sums_.origin;
  sums_.num_samples += parsed[0].get<int64_t>();
  sums_.squared += parsed[1].get<double>();
  sums_.values += samples * distance;
  sums_.squared_values += parsed[3].get<double>() + samples * distance * distance;
  return true;
}

}  // namespace tidemill::evaluator

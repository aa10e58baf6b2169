#include "supervisor/statistics/detectors/eddm.h"

#include <algorithm>
#include <cmath>

namespace tidemill::supervisor::statistics {

DetectorSignal Eddm::Update(double value) {
  if (state_.drifted) state_ = {};
  ++state_.num_values;
  if (value >= 0.5) return AtError();
  return state_.warned ? DetectorSignal::kWarning : DetectorSignal::kStable;
}

DetectorSignal Eddm::AtError() {
  ++state_.num_errors;
  const auto distance = static_cast<double>(state_.num_values - state_.last_error);
  state_.last_error = state_.num_values;
  const double before = state_.mean_distance;
  const auto count = static_cast<double>(state_.num_errors);
  state_.mean_distance += (distance - before) / count;
  state_.squares += (distance - state_.mean_distance) * (distance - before);
  const double reach = state_.mean_distance + 2 * std::sqrt(std::max(state_.squares, 0.0) / count);
  state_.greatest = std::max(state_.greatest, reach);
  state_.warned = false;
  if (state_.num_errors <= config_.warm_up) return DetectorSignal::kStable;
  if (reach < config_.drift * state_.greatest) {
    state_.drifted = true;
    return DetectorSignal::kDrift;
  }
  state_.warned = reach < config_.warning * state_.greatest;
  return state_.warned ? DetectorSignal::kWarning : DetectorSignal::kStable;
}

std::unique_ptr<StreamDetector> StartOf(const EddmConfig& config) {
  return std::make_unique<SealedDetector<Eddm, EddmConfig>>(config);
}

TIDEMILL_PART(Detector, DetectorOf, EddmConfig)

}  // namespace tidemill::supervisor::statistics

#include "supervisor/statistics/detectors/page_hinkley.h"

#include <algorithm>

namespace tidemill::supervisor::statistics {

DetectorSignal PageHinkley::Update(double value) {
  if (state_.drifted) state_ = {};
  ++state_.num_values;
  state_.mean += (value - state_.mean) / static_cast<double>(state_.num_values);
  const double deviation = value - state_.mean;
  if (config_.sides == PageHinkleySides::kUp) {
    state_.rise = std::max(0.0, config_.fading * state_.rise + deviation - config_.tolerance);
  } else {
    state_.rise += deviation - config_.tolerance;
    state_.fall += deviation + config_.tolerance;
    state_.least_rise = std::min(state_.least_rise, state_.rise);
    state_.greatest_fall = std::max(state_.greatest_fall, state_.fall);
  }
  state_.drifted = state_.num_values > config_.warm_up && Excess() > config_.threshold;
  return state_.drifted ? DetectorSignal::kDrift : DetectorSignal::kStable;
}

double PageHinkley::Excess() const {
  return std::max(state_.rise - state_.least_rise, state_.greatest_fall - state_.fall);
}

std::unique_ptr<StreamDetector> StartOf(const PageHinkleyConfig& config) {
  return std::make_unique<SealedDetector<PageHinkley, PageHinkleyConfig>>(config);
}

TIDEMILL_PART(Detector, DetectorOf, PageHinkleyConfig)

}  // namespace tidemill::supervisor::statistics

#include "supervisor/statistics/detectors/ddm.h"

#include <algorithm>
#include <cmath>

namespace tidemill::supervisor::statistics {

DetectorSignal Ddm::Update(double error) {
  if (state_.drifted) state_ = {};
  ++state_.num_values;
  const auto count = static_cast<double>(state_.num_values);
  state_.error_rate += (error - state_.error_rate) / count;
  const double rate = state_.error_rate;
  // Rounding may take a rate a little out of [0, 1].
  const double deviation = std::sqrt(std::max(rate * (1 - rate), 0.0) / count);
  if (state_.num_values <= config_.warm_up) return DetectorSignal::kStable;
  if (!state_.has_least || rate + deviation <= state_.least_rate + state_.least_deviation) {
    state_.has_least = true;
    state_.least_rate = rate;
    state_.least_deviation = deviation;
  }
  const double above = rate + deviation - state_.least_rate;
  if (above > config_.drift * state_.least_deviation) {
    state_.drifted = true;
    return DetectorSignal::kDrift;
  }
  return above > config_.warning * state_.least_deviation ? DetectorSignal::kWarning
                                                          : DetectorSignal::kStable;
}

std::unique_ptr<StreamDetector> StartOf(const DdmConfig& config) {
  return std::make_unique<SealedDetector<Ddm, DdmConfig>>(config);
}

TIDEMILL_PART(Detector, DetectorOf, DdmConfig)

}  // namespace tidemill::supervisor::statistics

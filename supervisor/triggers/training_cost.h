// Forecasts the duration of the next training from those of earlier ones.
#pragma once

#include <cstdint>
#include <deque>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "supervisor/triggers/trigger_policy.h"

namespace tidemill::supervisor {

// seconds = base + per_sample * samples. Neither number is below zero.
struct TrainingForecast {
  double base = 0;
  double per_sample = 0;

  double Seconds(double samples) const { return base + per_sample * samples; }
};

// A ridge regression (Hoerl and Kennard, 1970) of seconds on samples over the last `window`
// trainings. The penalty is 1 on the slope and 0 on the intercept. A single training gives a
// constant. A slope below zero becomes zero. An intercept below zero becomes zero, too, and the
// line then goes through the origin. Thread-compatible.
class TrainingCostModel {
 public:
  explicit TrainingCostModel(int64_t window) : window_(window) {}

  void Add(const TrainingCost& cost);
  int64_t num_trainings() const { return static_cast<int64_t>(costs_.size()); }
  // Returns a forecast of zero when there are no trainings.
  TrainingForecast Fit() const;

  nlohmann::json Seal() const;
  absl::Status Restore(const nlohmann::json& state);

 private:
  int64_t window_;
  std::deque<TrainingCost> costs_;
};

}  // namespace tidemill::supervisor

// Sums the avoidable mistakes of a model over the time that they have lasted. A mistake is
// avoidable when a new model would not have made it.
#pragma once

#include <optional>

#include "base/time.h"

namespace tidemill::supervisor {

// Let an interval have n samples, m of which the active model got wrong, and let a be the expected
// accuracy. Then max(0, m - (1 - a) n) of the mistakes were avoidable. Each has a cost from its
// time on. The mistakes of an interval are assumed to be spread evenly over it. Thread-compatible.
class LastingErrors {
 public:
  // Adds the interval that ends at `to`. It begins at the end of the last interval, or at the last
  // Clear().
  void Add(Timestamp to, double num_samples, double num_wrong, double expected_accuracy);
  // Ends all mistakes at `at`. From there the sum starts again from zero.
  void Clear(Timestamp at);

  // Returns the sum in mistake-seconds. `time` is not before the end of the last interval.
  double At(Timestamp time) const;

  // For sealed_state.h.
  void Fields(auto&& field) {
    field("total", total_);
    field("going_on", going_on_);
    field("end", end_);
  }

 private:
  double total_ = 0;     // In mistake-seconds, up to `end_`.
  double going_on_ = 0;  // The number of mistakes that still cost.
  std::optional<Cut> end_;
};

}  // namespace tidemill::supervisor

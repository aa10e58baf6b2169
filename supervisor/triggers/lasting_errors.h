// Mistakes of a model that a new one would not have made, and for how long they have gone on.
#pragma once

#include <optional>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor {

// Of an interval with n samples, of which the active model got m wrong while the expected accuracy
// is a, m - (1 - a) n mistakes were avoidable, or none. Each costs from its time on; those of an
// interval are taken to be spread over it evenly. Thread-compatible.
class LastingErrors {
 public:
  // Adds the interval from the last one's end, or the last Clear(), to `to`.
  void Add(Timestamp to, double num_samples, double num_wrong, double expected_accuracy);
  // None goes on any more, from here.
  void Clear(Timestamp at);

  // In mistake-seconds, at a time not before the end of the last interval.
  double At(Timestamp time) const;

  nlohmann::json Seal() const;
  absl::Status Restore(const nlohmann::json& state);

 private:
  double total_ = 0;     // Mistake-seconds up to `end_`.
  double going_on_ = 0;  // Mistakes.
  std::optional<Cut> end_;
};

}  // namespace tidemill::supervisor

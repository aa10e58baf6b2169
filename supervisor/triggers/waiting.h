// Measures how long samples have waited for a training.
#pragma once

#include <cstdint>
#include <span>

#include "absl/numeric/int128.h"
#include "nlohmann/json.hpp"

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor {

// The area under the curve of the number of waiting samples over time. Each sample waits from its
// event time on. The sum is kept in whole numbers, so that it does not depend on how the samples
// are cut into batches. Thread-compatible.
class Waiting {
 public:
  void Take(std::span<const int64_t> event_times);
  // Forgets all samples: none of them waits any more.
  void Clear() { *this = Waiting(); }

  int64_t num_samples() const { return num_samples_; }
  // Returns the sum in sample-seconds. `time` is not before the event time of any sample taken.
  double At(Timestamp time) const;

  nlohmann::json Seal() const;
  absl::Status Restore(const nlohmann::json& state);

 private:
  int64_t num_samples_ = 0;
  absl::int128 sum_ = 0;  // The sum of the event times.
};

}  // namespace tidemill::supervisor

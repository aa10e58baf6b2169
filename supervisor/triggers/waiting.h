// How long samples have waited to be trained on.
#pragma once

#include <cstdint>
#include <span>

#include "absl/numeric/int128.h"
#include "nlohmann/json.hpp"

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor {

// The area under the number of samples that wait, over time: each waits from its event time on.
// Kept in whole numbers, so that it is the same however the samples were cut into batches.
// Thread-compatible.
class Waiting {
 public:
  void Take(std::span<const int64_t> event_times);
  // Nothing waits any more.
  void Clear() { *this = Waiting(); }

  int64_t num_samples() const { return num_samples_; }
  // In sample-seconds, at a time not before that of any sample taken.
  double At(Timestamp time) const;

  nlohmann::json Seal() const;
  absl::Status Restore(const nlohmann::json& state);

 private:
  int64_t num_samples_ = 0;
  absl::int128 sum_ = 0;  // Of the event times.
};

}  // namespace tidemill::supervisor

// Measures how long samples have waited for a training.
#pragma once

#include <cstdint>
#include <span>

#include "absl/numeric/int128.h"

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

  // For sealed_state.h.
  void Fields(auto&& field) {
    int64_t high = absl::Int128High64(sum_);
    uint64_t low = absl::Int128Low64(sum_);
    field("samples", num_samples_);
    field("high", high);
    field("low", low);
    if (const auto sum = absl::MakeInt128(high, low); sum != sum_) sum_ = sum;
  }

 private:
  int64_t num_samples_ = 0;
  absl::int128 sum_ = 0;  // The sum of the event times.
};

}  // namespace tidemill::supervisor

#include "supervisor/triggers/waiting.h"

#include <numeric>

namespace tidemill::supervisor {

void Waiting::Take(std::span<const int64_t> event_times) {
  num_samples_ += static_cast<int64_t>(event_times.size());
  sum_ = std::accumulate(event_times.begin(), event_times.end(), sum_);
}

double Waiting::At(Timestamp time) const {
  return static_cast<double>(absl::int128(num_samples_) * time.micros - sum_) / 1e6;
}

}  // namespace tidemill::supervisor

#include "supervisor/triggers/waiting.h"

#include <numeric>

#include "supervisor/triggers/sealed_fields.h"

namespace tidemill::supervisor {

void Waiting::Take(std::span<const int64_t> event_times) {
  num_samples_ += static_cast<int64_t>(event_times.size());
  sum_ = std::accumulate(event_times.begin(), event_times.end(), sum_);
}

double Waiting::At(Timestamp time) const {
  return static_cast<double>(absl::int128(num_samples_) * time.micros - sum_) / 1e6;
}

nlohmann::json Waiting::Seal() const {
  return {{"samples", num_samples_},
          {"high", absl::Int128High64(sum_)},
          {"low", absl::Int128Low64(sum_)}};
}

absl::Status Waiting::Restore(const nlohmann::json& state) {
  int64_t high = 0;
  uint64_t low = 0;
  RETURN_IF_ERROR(ReadSealed(state, "samples", num_samples_));
  RETURN_IF_ERROR(ReadSealed(state, "high", high));
  RETURN_IF_ERROR(ReadSealed(state, "low", low));
  sum_ = absl::MakeInt128(high, low);
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor

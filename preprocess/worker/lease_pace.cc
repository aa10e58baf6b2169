#include "preprocess/worker/lease_pace.h"

#include <algorithm>
#include <cstdint>

namespace tidemill::preprocess {
namespace {

constexpr int kLeastPerThread = 2;
constexpr int kMostPerThread = 64;
constexpr std::chrono::milliseconds kAhead{20};
// The weight of the latest split in the mean.
constexpr double kLatestShare = 0.25;

}  // namespace

void LeasePace::Note(int64_t job_id, Duration took) {
  const auto known = split_times_.find(job_id);
  if (known == split_times_.end()) return;  // It has ended.
  Duration& mean = known->second;
  const Duration change = std::chrono::duration_cast<Duration>((took - mean) * kLatestShare);
  mean = std::max(Duration{1}, mean == Duration::zero() ? took : mean + change);
}

int LeasePace::Wanted(int num_making) const {
  int64_t per_thread = split_times_.empty() ? kLeastPerThread : kMostPerThread;
  for (const auto& [job, mean] : split_times_) {
    const int64_t ahead = mean == Duration::zero() ? 0 : kAhead / mean;
    per_thread = std::clamp<int64_t>(ahead, kLeastPerThread, per_thread);
  }
  const int ahead = static_cast<int>(per_thread) * num_threads_;
  const int wanted = std::max(0, ahead - num_making);
  const bool is_early = per_thread > kLeastPerThread && wanted < ahead / 2;
  return is_early ? 0 : wanted;
}

}  // namespace tidemill::preprocess

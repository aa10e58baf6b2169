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

void LeasePace::Note(Duration took) {
  const Duration change = std::chrono::duration_cast<Duration>((took - split_time_) * kLatestShare);
  split_time_ = split_time_ == Duration::zero() ? took : split_time_ + change;
}

int LeasePace::Wanted(int num_making) const {
  int64_t per_thread = kLeastPerThread;
  if (split_time_ > Duration::zero()) {
    per_thread = std::clamp<int64_t>(kAhead / split_time_, kLeastPerThread, kMostPerThread);
  }
  const int ahead = static_cast<int>(per_thread) * num_threads_;
  const int wanted = std::max(0, ahead - num_making);
  const bool is_early = per_thread > kLeastPerThread && wanted < ahead / 2;
  return is_early ? 0 : wanted;
}

}  // namespace tidemill::preprocess

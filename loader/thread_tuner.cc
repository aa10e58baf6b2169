#include "loader/thread_tuner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "loader/path_verdict.h"
#include "loader/predicted_gains.h"

namespace tidemill::loader {
namespace {

// A trial that is predicted, or measured, to gain less is not worth its threads.
constexpr double kWorthTrying = 1.1;
constexpr double kWorthKeeping = 1.05;
// The looks after a trial that brought nothing, some ten seconds.
constexpr int kPause = 50;
// The looks without waiting after which threads are given up: at most a quarter of them, and those
// that stay are used for no more than the second share.
constexpr int kCalmLooks = 25;
constexpr double kMostUsed = 0.9;

double GainOfThreads(double wait_share, const PathWork& work) {
  for (const PredictedGain& gain : PredictGains(wait_share, work)) {
    if (gain.part == PathPart::kThreads) return gain.factor;
  }
  return 1;
}

}  // namespace

int ThreadTuner::Look(double wait_share, double rows_per_second, const PathWork& work) {
  if (!is_tuning()) return threads_;
  if (std::exchange(is_settling_, false)) return threads_;
  if (threads_before_ > 0) JudgeTrial(rows_per_second);
  if (pause_ > 0) --pause_;
  calm_looks_ = wait_share < kWaits ? calm_looks_ + 1 : 0;
  if (pause_ == 0 && wait_share >= kWaits) {
    Grow(GainOfThreads(wait_share, work), rows_per_second);
  } else if (calm_looks_ >= kCalmLooks) {
    Shrink(Share(work.busy_ns, work.capacity_ns));
  }
  return threads_;
}

void ThreadTuner::JudgeTrial(double rows_per_second) {
  if (rows_per_second < rate_before_ * kWorthKeeping) {
    threads_ = threads_before_;
    pause_ = kPause;
  }
  threads_before_ = 0;
}

void ThreadTuner::Grow(double factor, double rows_per_second) {
  if (factor < kWorthTrying || threads_ == most_) return;
  threads_before_ = threads_;
  rate_before_ = rows_per_second;
  is_settling_ = true;
  threads_ = std::min(most_, static_cast<int>(std::ceil(threads_ * factor)));
}

void ThreadTuner::Shrink(double used) {
  calm_looks_ = 0;
  const int enough = static_cast<int>(std::ceil(threads_ * used / kMostUsed));
  const int fewer = std::max({fewest_, enough, threads_ - std::max(1, threads_ / 4)});
  threads_ = std::min(threads_, fewer);
}

}  // namespace tidemill::loader

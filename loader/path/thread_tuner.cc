#include "loader/path/thread_tuner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "loader/path/path_verdict.h"
#include "loader/path/predicted_gains.h"

namespace tidemill::loader {
namespace {

// A trial that is predicted to gain less is not worth its threads, nor is one that gained less than
// 5 % or a tenth of what was predicted: rates vary by as much.
constexpr double kWorthTrying = 1.1;
constexpr double kWorthKeeping = 1.05;
constexpr double kEnough = 0.1;
// One that gained this part of what was predicted needs no further look.
constexpr double kConvincing = 0.5;
// How many readings a mean is made of: a single one of a fifth of a second is not exact enough.
constexpr int kMeanLooks = 5;
// The looks after a trial that brought nothing, some ten seconds, and twice as many after the next
// one; about ten minutes at most.
constexpr int kPause = 50;
constexpr int kMostDoublings = 6;
// The looks without waiting after which threads are given up: at most a quarter of them, and those
// that stay are used for no more than the second share.
constexpr int kCalmLooks = 25;
constexpr double kMostUsed = 0.9;

// Other programs' share of the processors is no limit: the kernel divides the processors among all
// threads that want them. The trial shows what it really gains.
double GainOfThreads(double wait_share, const PathWork& work) {
  PathWork own = work;
  own.processors_busy_ns = std::min(work.processors_busy_ns, work.process_ns);
  for (const PredictedGain& gain : PredictGains(wait_share, own)) {
    if (gain.part == PathPart::kThreads) return gain.factor;
  }
  return 1;
}

}  // namespace

void ThreadTuner::Rate::Add(double rate) {
  num_looks = std::min(num_looks + 1, kMeanLooks);
  mean += (rate - mean) / num_looks;
}

int ThreadTuner::Look(double wait_share, double rows_per_second, const PathWork& work) {
  if (!is_tuning()) return threads_;
  if (std::exchange(is_settling_, false)) return threads_;
  rate_.Add(rows_per_second);
  if (trial_) JudgeTrial();
  if (trial_ || is_settling_) return threads_;
  if (pause_ > 0) --pause_;
  calm_looks_ = wait_share < kWaits ? calm_looks_ + 1 : 0;
  if (pause_ == 0 && wait_share >= kWaits) {
    Grow(GainOfThreads(wait_share, work));
  } else if (calm_looks_ >= kCalmLooks) {
    Shrink(Share(work.busy_ns, work.capacity_ns));
  }
  return threads_;
}

void ThreadTuner::JudgeTrial() {
  const double grown = rate_.mean / trial_->rate_before;
  const double predicted = trial_->predicted - 1;
  if (grown < 1 + kConvincing * predicted && rate_.num_looks < kMeanLooks) return;
  const int before = std::exchange(trial_, std::nullopt)->threads_before;
  if (grown >= std::max(kWorthKeeping, 1 + kEnough * predicted)) {
    num_failed_ = 0;
    return;
  }
  pause_ = kPause << std::min(num_failed_++, kMostDoublings);
  SetThreads(before);
}

void ThreadTuner::Grow(double factor) {
  if (factor < kWorthTrying || threads_ == most_) return;
  const int more = std::min(most_, static_cast<int>(std::ceil(threads_ * factor)));
  trial_ = {.threads_before = threads_,
            .rate_before = rate_.mean,
            .predicted = std::min(factor, static_cast<double>(more) / threads_)};
  SetThreads(more);
}

void ThreadTuner::Shrink(double used) {
  calm_looks_ = 0;
  const int enough = static_cast<int>(std::ceil(threads_ * used / kMostUsed));
  const int fewer = std::max({fewest_, enough, threads_ - std::max(1, threads_ / 4)});
  if (fewer < threads_) SetThreads(fewer);
}

void ThreadTuner::SetThreads(int threads) {
  threads_ = threads;
  rate_ = {};
  is_settling_ = true;
}

}  // namespace tidemill::loader

#include "loader/thread_tuner.h"

#include <algorithm>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::loader {
namespace {

using ::testing::ElementsAre;
using ::testing::Le;

// A path on which a row takes `wait` seconds of a thread without a processor, `compute` seconds on
// one of `cores` processors, and `step` seconds of the training.
struct SimulatedPath {
  double wait = 0;
  double compute = 0;
  double step = 0;
  double cores = 2;

  double RateOf(int threads) const {
    double rate = threads / (wait + compute);
    if (compute > 0) rate = std::min(rate, cores / compute);
    if (step > 0) rate = std::min(rate, 1 / step);
    return rate;
  }
  int LookAt(ThreadTuner& tuner) const {
    const int threads = tuner.threads();
    const double rate = RateOf(threads);
    constexpr double kNanos = 1e9;
    const double computed = rate * compute * kNanos;
    const double busy = std::min(threads * kNanos, rate * (wait + compute) * kNanos);
    const double full = compute > 0 && rate >= cores / compute ? threads * kNanos - busy : 0;
    return tuner.Look(1 - std::min(1.0, rate * step), rate,
                      {.busy_ns = static_cast<int64_t>(busy + full),
                       .cpu_ns = static_cast<int64_t>(computed),
                       .queue_ns = static_cast<int64_t>(full),
                       .capacity_ns = static_cast<int64_t>(threads * kNanos),
                       .processors_ns = static_cast<int64_t>(cores * kNanos),
                       .processors_busy_ns = static_cast<int64_t>(computed),
                       .process_ns = static_cast<int64_t>(computed)});
  }
};

std::vector<int> Looks(const SimulatedPath& path, ThreadTuner& tuner, int count) {
  std::vector<int> threads;
  for (int i = 0; i < count; ++i) threads.push_back(path.LookAt(tuner));
  return threads;
}

TEST(ThreadTuner, AddsThreadsWhereTheyWaitAndProcessorsAreFree) {
  ThreadTuner tuner(2, 32);
  EXPECT_THAT(Looks({.wait = 0.01}, tuner, 8), ElementsAre(4, 4, 8, 8, 16, 16, 32, 32));
}

TEST(ThreadTuner, AddsNoneWhereTheProcessorsAreFull) {
  ThreadTuner tuner(2, 32);
  EXPECT_THAT(Looks({.compute = 0.01}, tuner, 3), ElementsAre(2, 2, 2));
}

TEST(ThreadTuner, AddsOnlyWhatTheTrainingCanUse) {
  // 20 rows a second, of which a thread makes 2: ten threads are enough.
  const SimulatedPath path{.wait = 0.5, .step = 0.05};
  ThreadTuner tuner(2, 64);
  const int threads = Looks(path, tuner, 200).back();
  EXPECT_THAT(threads, ::testing::AllOf(::testing::Ge(9), Le(11)));
  EXPECT_GE(path.RateOf(threads), 0.9 * 20);
}

TEST(ThreadTuner, TakesBackWhatBringsNothing) {
  // Storage serves two rows at a time, which no number says.
  ThreadTuner tuner(2, 32);
  const PathWork full{.busy_ns = 2, .capacity_ns = 2};
  EXPECT_EQ(tuner.Look(0.9, 100, full), 4);
  EXPECT_EQ(tuner.Look(0.9, 100, full), 4) << "threads that have only begun are not judged";
  EXPECT_EQ(tuner.Look(0.9, 101, full), 2);
  for (int look = 0; look < 30; ++look) EXPECT_EQ(tuner.Look(0.9, 100, full), 2) << look;
}

TEST(ThreadTuner, SettlesOnANumberOfThreads) {
  for (const SimulatedPath& path :
       {SimulatedPath{.wait = 0.5, .step = 0.05}, SimulatedPath{.wait = 0.01, .compute = 0.001},
        SimulatedPath{.wait = 0.02, .compute = 0.01, .step = 0.008}}) {
    ThreadTuner tuner(2, 64);
    Looks(path, tuner, 300);
    const std::vector<int> settled = Looks(path, tuner, 600);
    const auto [least, most] = std::minmax_element(settled.begin(), settled.end());
    EXPECT_LE(*most - *least, std::max(1, *least)) << "a trial now and then, at most twice as many";
    EXPECT_GT(std::count(settled.begin(), settled.end(), settled.back()), 500);
  }
}

TEST(ThreadTuner, GivesUpThreadsThatAreNotNeeded) {
  ThreadTuner tuner(2, 32);
  Looks({.wait = 0.01}, tuner, 8);
  ASSERT_EQ(tuner.threads(), 32);
  EXPECT_EQ(Looks({.wait = 0.01, .step = 0.1}, tuner, 600).back(), 2);
}

TEST(ThreadTuner, LeavesAFixedNumberAlone) {
  ThreadTuner tuner(3, 3);
  EXPECT_THAT(Looks({.wait = 0.01}, tuner, 2), ElementsAre(3, 3));
}

}  // namespace
}  // namespace tidemill::loader

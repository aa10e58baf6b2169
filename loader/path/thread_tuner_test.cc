#include "loader/path/thread_tuner.h"

#include <algorithm>
#include <random>
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
  // Processors that other programs use while this one does not want them.
  double others = 0;

  double RateOf(int threads) const {
    double rate = threads / (wait + compute);
    if (compute > 0) rate = std::min(rate, cores / compute);
    if (step > 0) rate = std::min(rate, 1 / step);
    return rate;
  }
  // `noise` multiplies what was seen of the rate.
  int LookAt(ThreadTuner& tuner, double noise = 1) const {
    const int threads = tuner.threads();
    const double rate = RateOf(threads);
    constexpr double kNanos = 1e9;
    const double computed = rate * compute * kNanos;
    const double busy = std::min(threads * kNanos, rate * (wait + compute) * kNanos);
    const double full = compute > 0 && rate >= cores / compute ? threads * kNanos - busy : 0;
    return tuner.Look(1 - std::min(1.0, rate * step), rate * noise,
                      {.busy_ns = static_cast<int64_t>(busy + full),
                       .cpu_ns = static_cast<int64_t>(computed),
                       .queue_ns = static_cast<int64_t>(full),
                       .capacity_ns = static_cast<int64_t>(threads * kNanos),
                       .processors_ns = static_cast<int64_t>(cores * kNanos),
                       .processors_busy_ns = static_cast<int64_t>(
                           std::min(cores * kNanos, computed + others * kNanos)),
                       .process_ns = static_cast<int64_t>(computed)});
  }
};

std::vector<int> Looks(const SimulatedPath& path, ThreadTuner& tuner, int count) {
  std::vector<int> threads;
  for (int i = 0; i < count; ++i) threads.push_back(path.LookAt(tuner));
  return threads;
}

TEST(ThreadTuner, AddsThreadsWhereTheyWaitAndProcessorsAreFree) {
  ThreadTuner tuner(2, 32, 2);
  EXPECT_THAT(Looks({.wait = 0.01}, tuner, 8), ElementsAre(4, 4, 8, 8, 16, 16, 32, 32));
}

TEST(ThreadTuner, AddsThreadsBesideOtherProgramsWhereTheyWait) {
  ThreadTuner tuner(2, 32, 2);
  EXPECT_THAT(Looks({.wait = 0.01, .compute = 0.0001, .others = 2}, tuner, 8),
              ElementsAre(4, 4, 8, 8, 16, 16, 32, 32));
}

TEST(ThreadTuner, AddsNoneWhereTheProcessorsAreFull) {
  ThreadTuner tuner(2, 32, 2);
  EXPECT_THAT(Looks({.compute = 0.01}, tuner, 3), ElementsAre(2, 2, 2));
}

TEST(ThreadTuner, AddsOnlyWhatTheTrainingCanUse) {
  // 20 rows a second, of which a thread makes 2: ten threads are enough.
  const SimulatedPath path{.wait = 0.5, .step = 0.05};
  ThreadTuner tuner(2, 64, 2);
  const int threads = Looks(path, tuner, 200).back();
  EXPECT_THAT(threads, ::testing::AllOf(::testing::Ge(9), Le(11)));
  EXPECT_GE(path.RateOf(threads), 0.9 * 20);
}

// Storage serves two rows at a time, which no number says.
constexpr PathWork kBusyThreads{.busy_ns = 2, .capacity_ns = 2};

TEST(ThreadTuner, TakesBackWhatBringsNothing) {
  ThreadTuner tuner(2, 32, 2);
  EXPECT_EQ(tuner.Look(0.9, 100, kBusyThreads), 4);
  EXPECT_EQ(tuner.settled(), 2);
  EXPECT_EQ(tuner.Look(0.9, 500, kBusyThreads), 4) << "threads that have only begun say nothing";
  for (const double rate : {120.0, 95.0, 110.0, 90.0}) {
    EXPECT_EQ(tuner.Look(0.9, rate, kBusyThreads), 4) << "one look is not exact";
  }
  EXPECT_EQ(tuner.Look(0.9, 101, kBusyThreads), 2);
  for (int look = 0; look < 30; ++look) EXPECT_EQ(tuner.Look(0.9, 100, kBusyThreads), 2) << look;
}

TEST(ThreadTuner, TriesLessOftenTheOftenerNothingIsGained) {
  ThreadTuner tuner(2, 32, 2);
  std::vector<int> looks_between;
  int last = 0;
  for (int look = 0; look < 2000; ++look) {
    const int before = tuner.threads();
    if (tuner.Look(0.9, 100, kBusyThreads) <= before) continue;
    looks_between.push_back(look - last);
    last = look;
  }
  ASSERT_GE(looks_between.size(), 4u);
  EXPECT_LE(looks_between.size(), 7u);
  for (size_t trial = 2; trial < looks_between.size(); ++trial) {
    EXPECT_GT(looks_between[trial], 1.5 * looks_between[trial - 1]) << trial;
  }
}

TEST(ThreadTuner, BeginsWithWhatWasFoundBefore) {
  ThreadTuner tuner(2, 32, 16);
  EXPECT_EQ(tuner.threads(), 16);
  const SimulatedPath path{.wait = 0.5, .step = 0.05};
  EXPECT_THAT(Looks(path, tuner, 200).back(), ::testing::AllOf(::testing::Ge(9), Le(16)));
  EXPECT_EQ(Looks({.wait = 0.01, .step = 0.1}, tuner, 600).back(), 2) << "it was of another path";
}

TEST(ThreadTuner, SettlesOnANumberOfThreads) {
  for (const SimulatedPath& path :
       {SimulatedPath{.wait = 0.5, .step = 0.05}, SimulatedPath{.wait = 0.01, .compute = 0.001},
        SimulatedPath{.wait = 0.02, .compute = 0.01, .step = 0.008}}) {
    ThreadTuner tuner(2, 64, 2);
    Looks(path, tuner, 300);
    const std::vector<int> settled = Looks(path, tuner, 600);
    const auto [least, most] = std::minmax_element(settled.begin(), settled.end());
    EXPECT_LE(*most - *least, std::max(1, *least)) << "a trial now and then, at most twice as many";
    EXPECT_GT(std::count(settled.begin(), settled.end(), settled.back()), 500);
  }
}

TEST(ThreadTuner, DoesNotGoUpAndDownWithRatesThatVary) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> noise(0.85, 1.15);
  for (const SimulatedPath& path :
       {SimulatedPath{.wait = 0.5, .step = 0.05}, SimulatedPath{.wait = 0.01, .compute = 0.001},
        SimulatedPath{.wait = 0.02, .compute = 0.01, .step = 0.008},
        SimulatedPath{.compute = 0.01}}) {
    ThreadTuner tuner(2, 64, 2);
    for (int look = 0; look < 300; ++look) path.LookAt(tuner, noise(random));
    int changes = 0;
    for (int look = 0; look < 3000; ++look) {
      const int before = tuner.threads();
      if (path.LookAt(tuner, noise(random)) != before) ++changes;
    }
    EXPECT_LE(changes, 20) << "in ten minutes, at " << tuner.threads() << " threads";
    EXPECT_GE(path.RateOf(tuner.settled()), 0.9 * path.RateOf(64));
  }
}

TEST(ThreadTuner, IsNotMisledForLongWhereALimitIsUnknownAndRatesVary) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> noise(0.85, 1.15);
  int most = 0;
  for (int run = 0; run < 10; ++run) {
    ThreadTuner tuner(2, 32, 2);
    int changes = 0;
    for (int look = 0; look < 3000; ++look) {
      const int before = tuner.threads();
      // Storage serves four rows at a time.
      const double rate = 100 * std::min(before, 4) * noise(random);
      if (tuner.Look(0.9, rate, kBusyThreads) != before) ++changes;
    }
    EXPECT_GE(tuner.settled(), 4);
    EXPECT_LE(changes, 40) << "in ten minutes";
    most += tuner.settled();
  }
  EXPECT_LE(most / 10, 8);
}

TEST(ThreadTuner, GivesUpThreadsThatAreNotNeeded) {
  ThreadTuner tuner(2, 32, 2);
  Looks({.wait = 0.01}, tuner, 8);
  ASSERT_EQ(tuner.threads(), 32);
  EXPECT_EQ(Looks({.wait = 0.01, .step = 0.1}, tuner, 600).back(), 2);
}

TEST(ThreadTuner, LeavesAFixedNumberAlone) {
  ThreadTuner tuner(3, 3, 3);
  EXPECT_THAT(Looks({.wait = 0.01}, tuner, 2), ElementsAre(3, 3));
}

}  // namespace
}  // namespace tidemill::loader

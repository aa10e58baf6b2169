#include "preprocess/worker/lease_pace.h"

#include <gtest/gtest.h>

namespace tidemill::preprocess {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int64_t kJob = 7;

// After ten splits of that time.
LeasePace After(int num_threads, LeasePace::Duration took) {
  LeasePace pace(num_threads);
  pace.Begin(kJob);
  for (int i = 0; i < 10; ++i) pace.Note(kJob, took);
  return pace;
}

TEST(LeasePaceTest, LeasesTwoSplitsAThreadBeforeItKnowsTheirTime) {
  LeasePace pace(3);
  EXPECT_EQ(pace.Wanted(0), 6);
  pace.Begin(kJob);
  EXPECT_EQ(pace.Wanted(0), 6);
  EXPECT_EQ(pace.Wanted(5), 1);
  EXPECT_EQ(pace.Wanted(7), 0);
}

TEST(LeasePaceTest, LeasesTwoSlowSplitsAThreadAndRefillsAtOnce) {
  EXPECT_EQ(After(2, milliseconds{500}).Wanted(3), 1);
}

TEST(LeasePaceTest, LeasesAsManyQuickSplitsAsTakeTwentyMilliseconds) {
  EXPECT_EQ(After(2, milliseconds{1}).Wanted(0), 40);
}

TEST(LeasePaceTest, AsksForQuickSplitsWhenHalfOfThemAreDone) {
  const LeasePace pace = After(2, milliseconds{1});
  EXPECT_EQ(pace.Wanted(21), 0);
  EXPECT_EQ(pace.Wanted(20), 20);
}

TEST(LeasePaceTest, LeasesABoundedNumberHoweverQuickTheyAre) {
  EXPECT_EQ(After(2, microseconds{1}).Wanted(0), 128);
  EXPECT_EQ(After(2, microseconds{0}).Wanted(0), 128);
}

TEST(LeasePaceTest, FollowsSplitsThatBecomeSlow) {
  LeasePace pace = After(1, milliseconds{1});
  for (int i = 0; i < 30; ++i) pace.Note(kJob, milliseconds{100});
  EXPECT_EQ(pace.Wanted(0), 2);
}

TEST(LeasePaceTest, LeasesForTheJobWithTheSlowestSplits) {
  LeasePace pace = After(1, milliseconds{1});
  pace.Begin(8);
  EXPECT_EQ(pace.Wanted(0), 2) << "its time is unknown";
  pace.Note(8, milliseconds{5});
  EXPECT_EQ(pace.Wanted(0), 4);
  pace.Forget(8);
  pace.Note(8, milliseconds{900});
  EXPECT_EQ(pace.Wanted(0), 20) << "it has ended";
}

}  // namespace
}  // namespace tidemill::preprocess

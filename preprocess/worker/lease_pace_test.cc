#include "preprocess/worker/lease_pace.h"

#include <gtest/gtest.h>

namespace tidemill::preprocess {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(LeasePaceTest, LeasesTwoSplitsAThreadBeforeItKnowsTheirTime) {
  const LeasePace pace(3);
  EXPECT_EQ(pace.Wanted(0), 6);
  EXPECT_EQ(pace.Wanted(5), 1);
  EXPECT_EQ(pace.Wanted(7), 0);
}

TEST(LeasePaceTest, LeasesTwoSlowSplitsAThreadAndRefillsAtOnce) {
  LeasePace pace(2);
  for (int i = 0; i < 10; ++i) pace.Note(milliseconds{500});
  EXPECT_EQ(pace.Wanted(3), 1);
}

TEST(LeasePaceTest, LeasesAsManyQuickSplitsAsTakeTwentyMilliseconds) {
  LeasePace pace(2);
  for (int i = 0; i < 10; ++i) pace.Note(milliseconds{1});
  EXPECT_EQ(pace.Wanted(0), 40);
}

TEST(LeasePaceTest, AsksForQuickSplitsWhenHalfOfThemAreDone) {
  LeasePace pace(2);
  for (int i = 0; i < 10; ++i) pace.Note(milliseconds{1});
  EXPECT_EQ(pace.Wanted(21), 0);
  EXPECT_EQ(pace.Wanted(20), 20);
}

TEST(LeasePaceTest, LeasesABoundedNumberHoweverQuickTheyAre) {
  LeasePace pace(2);
  for (int i = 0; i < 10; ++i) pace.Note(microseconds{1});
  EXPECT_EQ(pace.Wanted(0), 128);
}

TEST(LeasePaceTest, FollowsSplitsThatBecomeSlow) {
  LeasePace pace(1);
  for (int i = 0; i < 10; ++i) pace.Note(milliseconds{1});
  for (int i = 0; i < 30; ++i) pace.Note(milliseconds{100});
  EXPECT_EQ(pace.Wanted(0), 2);
}

}  // namespace
}  // namespace tidemill::preprocess

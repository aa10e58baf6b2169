#include "supervisor/statistics/forecasts/avoidable_errors.h"

#include "gtest/gtest.h"

#include "supervisor/statistics/sealed_state.h"

namespace tidemill::supervisor::statistics {
namespace {

TEST(AvoidableErrors, AreThoseBeyondTheExpectedOnes) {
  AvoidableErrors errors;
  EXPECT_EQ(errors.Add(50, 200, 0.9, false), 30);
  EXPECT_EQ(errors.Add(10, 200, 0.9, false), 0);
  EXPECT_EQ(errors.count, 30);
  EXPECT_EQ(errors.Add(10, 200, 0.9, true), -10);
  EXPECT_EQ(errors.count, 20);
  errors.Reset();
  EXPECT_EQ(errors.count, 0);
}

TEST(AvoidableErrors, ReachAThresholdAfterAsManySamplesAsTheExcessSays) {
  // 5 % of excess: 100 after 2000 samples.
  AvoidableErrors errors;
  int64_t samples = 0;
  while (errors.count < 100) {
    errors.Add(30, 200, 0.9, false);
    samples += 200;
  }
  EXPECT_EQ(samples, 2000);
}

TEST(AvoidableErrors, LookOneIntervalAhead) {
  AvoidableErrors errors = {.count = 30};
  EXPECT_DOUBLE_EQ(errors.Ahead(200, 0.8, 0.9), 50);
  EXPECT_DOUBLE_EQ(errors.Ahead(200, 0.95, 0.9), 20);
  EXPECT_EQ(*RestoreState<AvoidableErrors>(SealState(errors)), errors);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

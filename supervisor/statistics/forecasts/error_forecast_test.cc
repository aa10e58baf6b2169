#include "supervisor/statistics/forecasts/error_forecast.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/statistics/sealed_state.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::ElementsAre;
using ::testing::Not;
using ::tidemill::testing::IsOk;

TEST(ErrorForecast, LearnsHowErrorsGrowWithAge) {
  // Each model begins at a logit of -2 and gains .1 an interval; each lives for five.
  ErrorRecord record;
  for (int64_t now = 0; now < 100; ++now) {
    const int64_t age = now % 5 + 1;
    const double before = age == 1 ? -2 : -2 + .1 * static_cast<double>(age - 2);
    record.Add(now - age + 1, age, before, -2 + .1 * static_cast<double>(age - 1));
  }
  const ErrorForecast forecast(record, 100, 5);
  const auto kept = forecast.Path(95, 5, -1.6), made = forecast.Path(100, 0, -2);
  ASSERT_EQ(kept.size(), 5U);
  // A prior that knows of no growth holds back a little of it.
  EXPECT_NEAR(kept[0].mean, -1.5, .05);
  EXPECT_NEAR(made[0].mean, -2, .05);
  EXPECT_NEAR(made[4].mean, -1.6, .1);
  for (size_t i = 1; i < 5; ++i) EXPECT_GT(kept[i].variance, kept[i - 1].variance);
}

// Without rows each error stays the same, and medians are sums of it.
TEST(ErrorForecast, ChangesModelsWhereItCostsLeast) {
  const ErrorForecast forecast({}, 7, 4);
  const ForecastCosts costs =
      forecast.Costs({.now = 7, .trained = 3, .age = 4, .logit = Logit(.4)}, Logit(.1), 0);
  EXPECT_NEAR(costs.keep, 1.6, 1e-12);
  EXPECT_NEAR(costs.train, .4, 1e-12);
  EXPECT_NEAR(*costs.keep_then_train, .4 + 3 * .1, 1e-12);
  EXPECT_NEAR(*costs.train_again, .4, 1e-12);
  const ForecastCosts one = ErrorForecast({}, 7, 1).Costs({.now = 7, .logit = 0}, 0, 0);
  EXPECT_FALSE(one.keep_then_train);
  EXPECT_FALSE(one.train_again);
}

TEST(ErrorRecord, KeepsTheLastErrorsOnly) {
  ErrorRecord record = {.most = 2};
  for (int64_t i = 0; i < 5; ++i) record.Add(i, 1, 0, static_cast<double>(i));
  EXPECT_THAT(record.logits, ElementsAre(3, 4));
  EXPECT_THAT(record.trained, ElementsAre(3, 4));
  record.ages.pop_back();
  EXPECT_THAT(RestoreState<ErrorRecord>(SealState(record)), Not(IsOk()));
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

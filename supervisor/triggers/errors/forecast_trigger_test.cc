#include "supervisor/triggers/errors/forecast_trigger.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/triggers/testing/ageing_errors.h"

namespace tidemill::supervisor {
namespace {

using testing::DecideAgeing;
using ::testing::ElementsAre;
using testing::GrowingBy;
using testing::NumbersOfFired;

ForecastTrigger Forecast(double price) {
  return {.intervals = {.evaluate = {.samples = 100}}, .price = price, .expected = {}};
}

void ExpectCosts(const Decision& decision, double keep, double keep_then_train, double train,
                 double train_again) {
  const Observed& seen = decision.verdict.observed();
  EXPECT_NEAR(seen.at("keep"), keep, 1e-9);
  EXPECT_NEAR(seen.at("keep_then_train"), keep_then_train, 1e-9);
  EXPECT_NEAR(seen.at("train"), train, 1e-9);
  EXPECT_NEAR(seen.at("train_again"), train_again, 1e-9);
}

// The numbers come from a program in NumPy that inverts the matrices of all rows at once. For a
// price of .3 and a growth of .02, trainings cost least every 5.5 intervals.
TEST(ForecastTrigger, TrainsWhenKeepingIsForecastToCostMore) {
  const auto decisions = DecideAgeing(Forecast(.3), 60, GrowingBy(.02));
  EXPECT_THAT(NumbersOfFired(decisions),
              ElementsAre(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 39, 42, 45, 48, 51, 54, 57));
  ExpectCosts(decisions[1], 1.9035548613162587, 1.615797048573461, 1.8881711753407409,
              1.6123532988253688);
  ExpectCosts(decisions[10], 2.512755362108655, 1.6777576769320306, 2.021582901599783,
              1.533498989783805);
}

TEST(ForecastTrigger, ReckonsWithTheMediansAtADeltaOfAHalf) {
  ForecastTrigger spec = Forecast(.3);
  spec.delta = .5;
  const auto decisions = DecideAgeing(spec, 60, GrowingBy(.02));
  EXPECT_THAT(NumbersOfFired(decisions),
              ElementsAre(0, 5, 10, 15, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56));
  // Without data an error does not change: 10.5 / 101 for ten intervals, whatever is done.
  ExpectCosts(decisions[1], 105 / 101.0, 105 / 101.0, 105 / 101.0, 105 / 101.0);
  ExpectCosts(decisions[5], 3.1991520727533693, 1.8481524158557467, 1.9692322174047203,
              1.492636381933656);
}

TEST(ForecastTrigger, LooksAsFarAheadAsItsHorizonAndBackAsItsMemory) {
  ForecastTrigger near = Forecast(.3);
  near.horizon = 5;
  EXPECT_THAT(NumbersOfFired(DecideAgeing(near, 60, GrowingBy(.02))),
              ElementsAre(0, 5, 9, 13, 17, 22, 27, 32, 37, 42, 47, 52, 57));
  ForecastTrigger forgetful = Forecast(.3);
  forgetful.memory = 7;
  const auto decisions = DecideAgeing(forgetful, 60, GrowingBy(.02));
  ExpectCosts(decisions[40], 3.4189733212637012, 1.956463472692318, 2.1837491751672853,
              1.6209203337100222);
}

TEST(ForecastTrigger, DoesNotTrainWhereNothingDrifts) {
  const auto decisions = DecideAgeing(Forecast(.5), 60, [](int64_t, int64_t interval) {
    return .1 + .03 * static_cast<double>(interval * 7919 % 5 - 2) / 2;
  });
  EXPECT_THAT(NumbersOfFired(decisions), ElementsAre(0));
}

TEST(ForecastTrigger, TrainsAtTheFirstIntervalAfterASuddenChange) {
  const auto decisions = DecideAgeing(Forecast(.5), 30, [](int64_t trained, int64_t interval) {
    return interval < 20 || trained >= 20 ? .1 : .35;
  });
  EXPECT_THAT(NumbersOfFired(decisions), ElementsAre(0, 20));
}

// The price that would have turned each answer turns it, and one beside it does not.
TEST(ForecastTrigger, NamesThePriceThatTurnsTheAnswer) {
  int64_t num_turned = 0;
  for (const int64_t horizon : {1, 2, 10}) {
    ForecastTrigger spec = Forecast(.3);
    spec.horizon = horizon;
    for (const Decision& decision : DecideAgeing(spec, 60, GrowingBy(.02))) {
      if (!decision.verdict.observed().contains("keep") || !decision.verdict.has_nearest())
        continue;
      ForecastTrigger other = spec;
      other.price = decision.verdict.nearest().to() - 1e-9;
      EXPECT_TRUE(Judge(other, decision.verdict.observed()).fired());
      other.price = decision.verdict.nearest().to() + 1e-9;
      EXPECT_FALSE(Judge(other, decision.verdict.observed()).fired());
      ++num_turned;
    }
  }
  EXPECT_GT(num_turned, 100);
}

TEST(ForecastTrigger, RefusesAPriceThatNoErrorsReach) {
  EXPECT_TRUE(TriggerSpec(Forecast(9.9))->Advise({}).empty());
  const auto remarks = TriggerSpec(Forecast(10))->Advise({});
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_TRUE(remarks[0].is_error);
}

}  // namespace
}  // namespace tidemill::supervisor

#include "supervisor/triggers/errors/cara_trigger.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/triggers/testing/ageing_errors.h"

namespace tidemill::supervisor {
namespace {

using testing::DecideAgeing;
using ::testing::ElementsAre;
using testing::GrowingBy;
using ::testing::HasSubstr;
using testing::NumbersOfFired;

CaraTrigger Cara(double price, CaraVariant variant = CaraVariant::kCumulative) {
  return {.intervals = {.evaluate = {.samples = 100}},
          .price = price,
          .variant = variant,
          .tau = std::nullopt,
          .expected = {}};
}

// The staleness of m intervals is 0.02 m (m - 1) / 2: 0.2 of five, 0.3 of six.
TEST(CaraTrigger, FiresWhenTheStalenessSinceTheTrainingHasReachedThePrice) {
  const auto decisions = DecideAgeing(Cara(.29), 26, GrowingBy(.02));
  EXPECT_THAT(NumbersOfFired(decisions), ElementsAre(0, 6, 12, 18, 24));
  const Verdict& last = decisions[6].verdict;
  EXPECT_NEAR(last.comparison().value(), .3, 1e-12);
  EXPECT_EQ(last.nearest().key(), "price");
  EXPECT_NEAR(last.nearest().to(), .3, 1e-12);
  EXPECT_NEAR(decisions[5].verdict.observed().at("staleness"), .2, 1e-12);
}

// The mean cost of an interval, by the errors and the price, is least for the period that the rule
// finds without knowing by how much errors grow.
TEST(CaraTrigger, FindsThePeriodOfLeastCostWhereErrorsGrowEvenly) {
  for (const double growth : {.002, .005, .02}) {
    const double price = .303;
    const auto decisions = DecideAgeing(Cara(price), 120, GrowingBy(growth));
    const auto cost = [&](double period) { return price / period + growth * (period - 1) / 2; };
    double least = cost(1);
    for (int period = 1; period < 100; ++period) least = std::min(least, cost(period));
    const auto fired = NumbersOfFired(decisions);
    ASSERT_GE(fired.size(), 3U);
    // Errors are counts of 100 samples: growth is rounded to them.
    EXPECT_LT(cost(static_cast<double>(fired[2] - fired[1])), 1.05 * least);
  }
}

TEST(CaraTrigger, LooksAtTheLastIntervalOnlyWithAThreshold) {
  CaraTrigger spec = Cara(.29, CaraVariant::kThreshold);
  spec.tau = .05;
  const auto decisions = DecideAgeing(spec, 14, GrowingBy(.02));
  EXPECT_THAT(NumbersOfFired(decisions), ElementsAre(0, 4, 8, 12));
  EXPECT_NEAR(decisions[4].verdict.comparison().value(), .06, 1e-12);
  EXPECT_EQ(decisions[4].verdict.nearest().key(), "tau");
}

// What was better than expected pays for nothing later.
TEST(CaraTrigger, CountsNoIntervalBelowZero) {
  CaraTrigger spec = Cara(.25);
  spec.expected.expected_error = .2;
  const auto decisions =
      DecideAgeing(spec, 8, [](int64_t, int64_t interval) { return interval < 4 ? .1 : .3; });
  EXPECT_THAT(NumbersOfFired(decisions), ElementsAre(0, 6));
  EXPECT_NEAR(decisions[6].verdict.observed().at("staleness"), .3, 1e-12);
}

// Each new model is worse than the one before, and staleness is by the last two of them.
TEST(CaraTrigger, ExpectsOfAModelWhatNewOnesReached) {
  CaraTrigger spec = Cara(.1, CaraVariant::kThreshold);
  spec.expected.trainings = 2;
  const auto decisions = DecideAgeing(spec, 8, [](int64_t trained, int64_t interval) {
    return .1 * static_cast<double>(1 + trained / 2) + (interval > trained ? .2 : 0);
  });
  EXPECT_THAT(NumbersOfFired(decisions), ElementsAre(0, 2, 4, 6));
  EXPECT_NEAR(decisions[2].verdict.observed().at("expected_error"), .1, 1e-12);
  EXPECT_NEAR(decisions[4].verdict.observed().at("expected_error"), (.1 + .2) / 2, 1e-12);
  EXPECT_NEAR(decisions[6].verdict.observed().at("expected_error"), (.2 + .3) / 2, 1e-12);
}

TEST(CaraTrigger, ScalesTheErrorsOfRealLabelsAndSaysWhereTheyAreCapped) {
  CaraTrigger spec = Cara(.5);
  spec.intervals.error_scale = 10;
  spec.intervals.evaluate.samples = 1;
  const auto each = DecideAgeing(
      spec, 4, [](int64_t trained, int64_t interval) { return interval > trained ? 30 : 1; }, 1);
  EXPECT_THAT(NumbersOfFired(each), ElementsAre(0, 2));
  EXPECT_NEAR(each[1].verdict.observed().at("error"), .1, 1e-12);
  EXPECT_EQ(each[2].verdict.observed().at("error"), 1);
  EXPECT_THAT(Explain(spec, each[2].verdict), HasSubstr("greater errors count as 1"));
}

TEST(CaraTrigger, AsksForAScaleOfRealLabelsAndForNoneOfClasses) {
  const auto problems_of = [](const CaraTrigger& spec, transform::LabelKind label) {
    config::Problems problems;
    TriggerSpec(spec)->CheckSamples({.dataset = "air", .schema = {.label = label}}, problems);
    return problems.ToString();
  };
  CaraTrigger scaled = Cara(1);
  scaled.intervals.error_scale = 10;
  EXPECT_THAT(problems_of(Cara(1), transform::LabelKind::kReal), HasSubstr("error_scale"));
  EXPECT_EQ(problems_of(scaled, transform::LabelKind::kReal), "");
  EXPECT_EQ(problems_of(Cara(1), transform::LabelKind::kClass), "");
  EXPECT_THAT(problems_of(scaled, transform::LabelKind::kClass), HasSubstr("leave it out"));
  EXPECT_THAT(problems_of(Cara(1), transform::LabelKind::kNone), HasSubstr("has no labels"));
}

TEST(CaraTrigger, RefusesAThresholdThatNoIntervalReaches) {
  EXPECT_TRUE(TriggerSpec(Cara(1.5))->Advise({}).empty());
  const auto remarks = TriggerSpec(Cara(1.5, CaraVariant::kThreshold))->Advise({});
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_TRUE(remarks[0].is_error);
  EXPECT_EQ(remarks[0].path, "price");
}

}  // namespace
}  // namespace tidemill::supervisor

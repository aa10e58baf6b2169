#include "supervisor/triggers/errors/debt_trigger.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "supervisor/triggers/testing/ageing_errors.h"

namespace tidemill::supervisor {
namespace {

using testing::DecideAgeing;
using ::testing::ElementsAre;
using testing::GrowingBy;
using testing::NumbersOfFired;

DebtTrigger Debt(double price) {
  return {.intervals = {.evaluate = {.samples = 100}}, .price = price, .expected = {}};
}

// By SciPy: the moments of both Beta posteriors, and the integral of max(0, x) over the density of
// the difference.
TEST(DebtTrigger, SumsTheExpectedRegretUpToThePrice) {
  const auto decisions = DecideAgeing(Debt(.3), 40, GrowingBy(.02));
  EXPECT_THAT(NumbersOfFired(decisions), ElementsAre(0, 8, 16, 23, 30, 37));
  EXPECT_NEAR(decisions[1].verdict.observed().at("regret"), -0.007062311313825443, 1e-9);
  EXPECT_EQ(decisions[1].verdict.observed().at("debt"), 0);
  EXPECT_NEAR(decisions[2].verdict.observed().at("debt"), 0.004285382746131005, 1e-9);
  EXPECT_NEAR(decisions[7].verdict.observed().at("debt"), 0.2720719321253028, 1e-8);
  EXPECT_NEAR(decisions[8].verdict.observed().at("regret"), 0.10928161289175495, 1e-9);
  EXPECT_NEAR(decisions[8].verdict.nearest().to(), 0.38135354501705776, 1e-8);
}

TEST(DebtTrigger, TakesAnExpectedErrorAsCertain) {
  DebtTrigger spec = Debt(10);
  spec.expected.expected_error = .05;
  const auto decisions = DecideAgeing(spec, 3, [](int64_t, int64_t) { return .45; });
  // Beta(45.5, 55.5) is eight deviations above: the regret is the difference less s / sqrt(pi).
  const double mean = 45.5 / 101, deviation = std::sqrt(mean * (1 - mean) / 102);
  EXPECT_NEAR(decisions[1].verdict.observed().at("regret"),
              mean - .05 - deviation / std::sqrt(M_PI), 1e-9);
}

TEST(DebtTrigger, IsNotMadeByChance) {
  const auto chance = [](int64_t number) -> std::optional<double> {
    return RandomUnit({.seed = 3, .purpose = "chance"}, number) < .1 ? 1 : 0;
  };
  testing::ScriptedErrors source(chance);
  const auto decisions = testing::Decide(Debt(.3), testing::SteadySamples(30'000), 1000, &source);
  EXPECT_EQ(decisions.size(), 300U);
  EXPECT_THAT(NumbersOfFired(decisions), ElementsAre(0));
}

}  // namespace
}  // namespace tidemill::supervisor

#include "supervisor/triggers/errors/budgeted_trigger.h"

#include <cmath>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/triggers/testing/ageing_errors.h"

namespace tidemill::supervisor {
namespace {

using testing::DecideAgeing;
using ::testing::ElementsAre;
using testing::GrowingBy;
using testing::NumbersOfFired;

BudgetedTrigger Budgeted(double budget, double price, double error_weight, int64_t every = 100) {
  return {.intervals = {.evaluate = {.samples = every}},
          .budget = budget,
          .price = price,
          .error_weight = error_weight};
}

// The loss of a model is 0, .1, .3, .6 ... over its intervals. The first training leaves a queue of
// .75, .5, .25 at the next evaluations, where .3 >= .25; the later ones one of 1, .75, .5, .25,
// where .6 >= .25.
TEST(BudgetedTrigger, WaitsUntilTheLossOutweighsTheQueue) {
  const auto decisions = DecideAgeing(Budgeted(.25, 1, 1), 17, GrowingBy(.1));
  EXPECT_THAT(NumbersOfFired(decisions), ElementsAre(0, 3, 7, 11, 15));
  EXPECT_NEAR(decisions[3].verdict.observed().at("queue"), .25, 1e-12);
  EXPECT_NEAR(decisions[3].verdict.observed().at("loss"), .3, 1e-12);
  EXPECT_NEAR(decisions[4].verdict.observed().at("queue"), 1, 1e-12);
  EXPECT_NEAR(decisions[6].verdict.nearest().to(), .5 / .3, 1e-12);
  // Twice the weight fires an evaluation sooner: 2 x .3 >= .5.
  EXPECT_THAT(NumbersOfFired(DecideAgeing(Budgeted(.25, 1, 2), 7, GrowingBy(.1))),
              ElementsAre(0, 3, 6));
}

TEST(BudgetedTrigger, NeverTrainsAgainWithoutABudget) {
  EXPECT_THAT(NumbersOfFired(DecideAgeing(Budgeted(0, .01, 1e6), 40, GrowingBy(.1))),
              ElementsAre(0));
  const auto remarks = TriggerSpec(Budgeted(0, 1, 1))->Advise({});
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_FALSE(remarks[0].is_error);
}

TEST(BudgetedTrigger, MayAlwaysTrainWithABudgetOfThePrice) {
  EXPECT_EQ(NumbersOfFired(DecideAgeing(Budgeted(1, 1, 1), 40, GrowingBy(.1))).size(), 40U);
}

struct ErrorStream {
  const char* name;
  testing::ErrorOfModel error_of;
};

// Streams that chance makes, and one that makes the policy train as often as it can: a new model is
// right, and any other one is wrong.
std::vector<ErrorStream> ErrorStreams(std::mt19937& random) {
  std::vector<double> walk, noise;
  double at = .3;
  for (int i = 0; i < 3000; ++i) {
    at = std::clamp(at + std::uniform_real_distribution(-.1, .1)(random), 0.0, 1.0);
    walk.push_back(at);
    noise.push_back(std::uniform_real_distribution(0.0, 1.0)(random));
  }
  const auto of = [](std::vector<double> errors) {
    return [errors = std::move(errors)](int64_t, int64_t interval) {
      return errors[static_cast<size_t>(interval)];
    };
  };
  return {{"a random walk", of(std::move(walk))},
          {"noise", of(std::move(noise))},
          {"the worst",
           [](int64_t trained, int64_t interval) { return interval > trained ? 1.0 : 0.0; }}};
}

TEST(BudgetedTrigger, KeepsItsBoundOnSpendingAtEachStepOfEachStream) {
  std::mt19937 random(7);
  int64_t num_near_budget = 0;
  for (int round = 0; round < 12; ++round) {
    const double price = std::exp(std::uniform_real_distribution(-3.0, 2.0)(random));
    const double budget = price * std::uniform_real_distribution(.01, 1.2)(random);
    const double weight = std::exp(std::uniform_real_distribution(-3.0, 5.0)(random));
    for (const auto& [name, error_of] : ErrorStreams(random)) {
      const auto decisions = DecideAgeing(Budgeted(budget, price, weight, 1), 2000, error_of, 1);
      ASSERT_EQ(decisions.size(), 2000U);
      double spent = 0, steps = 0;
      for (const Decision& decision : decisions) {
        ++steps;
        if (decision.fired) spent += price;
        const double greatest = std::max(budget, price);
        ASSERT_LE(spent,
                  budget * steps + std::sqrt(steps * (2 * weight + greatest * greatest)) + 1e-9)
            << name << " at " << steps << " with " << budget << ", " << price << ", " << weight;
      }
      if (spent > .8 * std::min(budget, price) * steps) ++num_near_budget;
    }
  }
  // It is not the bound of a policy that does nothing.
  EXPECT_GE(num_near_budget, 8);
}

}  // namespace
}  // namespace tidemill::supervisor

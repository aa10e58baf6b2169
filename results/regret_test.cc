#include "results/regret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tidemill::results {
namespace {

// Thirty windows; a model loses .1 a window.
SweepSeed AgeingModels(int64_t seed) {
  SweepSeed sweep{.seed = seed, .matrix = {}, .policies = {}};
  for (size_t t = 0; t < 30; ++t) {
    const Timestamp at{static_cast<int64_t>(10 * t)};
    sweep.matrix.cuts.push_back(at);
    sweep.matrix.windows.push_back(at);
    sweep.matrix.newest.push_back(t);
  }
  sweep.matrix.errors.resize(30, std::vector<double>(30));
  for (size_t i = 0; i < 30; ++i) {
    for (size_t t = i; t < 30; ++t) sweep.matrix.errors[i][t] = 0.1 * static_cast<double>(t - i);
  }
  return sweep;
}

std::vector<Timestamp> Every(int64_t period) {
  std::vector<Timestamp> triggers;
  for (int64_t t = 0; t < 30; t += period) triggers.push_back({10 * t});
  return triggers;
}

const PolicyCost& CostOfPolicy(const RegretTable& table, const std::string& policy, double price) {
  for (const PolicyCost& own : table.costs) {
    if (own.policy == policy && own.price == price) return own;
  }
  ADD_FAILURE() << policy;
  return table.costs.front();
}

TEST(Regret, IsTheCostBeyondTheOraclePerWindowOfTheJudgedPart) {
  SweepSeed sweep = AgeingModels(1);
  sweep.policies = {{.name = "every other window", .triggers = Every(2)}};
  const auto table = CompareRegret({sweep}, {0.4});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->judged_from, 10);
  const PolicyCost& own = CostOfPolicy(*table, "every other window", 0.4);
  // Ten trainings at .4 and ten windows with an error of .1, over twenty windows.
  EXPECT_NEAR(own.cost.mean, 5.0 / 20, 1e-12);
  EXPECT_EQ(own.trainings, 10);
  // The oracle begins with the model of window 10 for nothing; it trains when three windows have
  // passed or when two have, which costs as much.
  EXPECT_NEAR(own.regret.mean, own.cost.mean - table->oracle.at(0.4).mean, 1e-12);
  EXPECT_GT(own.regret.mean, 0);
  EXPECT_NEAR(*CostOfPolicy(*table, "never", 0.4).share_of_gap, 1, 1e-12);
}

TEST(Regret, OfASettingIsThatOfTheOneChosenOnTheFirstThird) {
  SweepSeed sweep = AgeingModels(1);
  // The first is best before window 10 and bad after it; the second is even throughout.
  std::vector<Timestamp> fades = {{0}, {30}, {60}, {90}};
  sweep.policies = {{.name = "p", .setting = "fades", .triggers = fades},
                    {.name = "p", .setting = "rare", .triggers = Every(9)}};
  const auto table = CompareRegret({sweep}, {0.4});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(CostOfPolicy(*table, "p", 0.4).setting, "fades");
  EXPECT_GT(CostOfPolicy(*table, "p", 0.4).regret.mean, 0.3);
}

TEST(Regret, ShowsWhatAMisjudgedPriceCosts) {
  SweepSeed sweep = AgeingModels(1);
  sweep.policies = {{.name = "p", .price = 0.1, .triggers = Every(1)},
                    {.name = "p", .price = 0.4, .triggers = Every(3)},
                    {.name = "p", .price = 1.6, .triggers = Every(10)}};
  const auto table = CompareRegret({sweep}, {0.1, 0.4, 1.6});
  ASSERT_TRUE(table.ok()) << table.status();
  const PolicyCost& own = CostOfPolicy(*table, "p", 0.4);
  ASSERT_TRUE(own.told_a_quarter && own.told_four_times);
  EXPECT_GT(*own.told_a_quarter, own.regret.mean);
  EXPECT_GT(*own.told_four_times, own.regret.mean);
  EXPECT_FALSE(CostOfPolicy(*table, "p", 0.1).told_a_quarter);
}

TEST(Regret, IsAMeanOverSeedsWithItsLeastAndGreatest) {
  SweepSeed first = AgeingModels(1);
  SweepSeed second = AgeingModels(2);
  first.policies = {{.name = "p", .triggers = Every(2)}};
  second.policies = {{.name = "p", .triggers = Every(6)}};
  const auto table = CompareRegret({first, second}, {0.4});
  ASSERT_TRUE(table.ok()) << table.status();
  const PolicyCost& own = CostOfPolicy(*table, "p", 0.4);
  EXPECT_LT(own.regret.low, own.regret.mean);
  EXPECT_NEAR(own.regret.mean, (own.regret.low + own.regret.high) / 2, 1e-12);
}

// 20 draws put a different part of their trainings before the judged windows.
TEST(Regret, CountsTheTrainingsOfRandomSchedulesInParts) {
  SweepSeed sweep = AgeingModels(1);
  sweep.policies = {{.name = "p", .triggers = Every(2)}};
  const auto table = CompareRegret({sweep}, {0.4});
  ASSERT_TRUE(table.ok()) << table.status();
  const double trainings = CostOfPolicy(*table, "uniform", 0.4).trainings;
  EXPECT_NE(trainings, std::floor(trainings)) << trainings;
  EXPECT_NEAR(20 * trainings, std::round(20 * trainings), 1e-9);
}

TEST(Regret, NeedsSeedsWithTheSameWindows) {
  SweepSeed shorter = AgeingModels(2);
  shorter.matrix.windows.pop_back();
  EXPECT_EQ(CompareRegret({AgeingModels(1), shorter}, {0.4}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tidemill::results

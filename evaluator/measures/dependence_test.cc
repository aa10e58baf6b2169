#include "evaluator/measures/dependence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "gtest/gtest.h"

#include "evaluator/measures/testing/chains.h"

namespace tidemill::evaluator {
namespace {

using testing::Chain;
using testing::NormalDraw;

TEST(Dependence, IsNotFoundAmongIndependentSamples) {
  int found = 0;
  for (int64_t seed = 0; seed < 400; ++seed) {
    found += DependenceOf(Chain("independent", seed, 0, 200)).WasFound() ? 1 : 0;
  }
  EXPECT_LE(found, 48);
  EXPECT_EQ(Dependence().Widening(), 1);
}

// The variance of the mean of a chain is (1 + rho) / (1 - rho) times that of independent numbers.
TEST(Dependence, IsThatOfAChain) {
  for (const size_t length : {4000, 200'000}) {
    const Dependence dependence = DependenceOf(Chain("chain", 1, 0.8, length));
    EXPECT_NEAR(dependence.variance_ratio, 9, 1.5) << length;
    EXPECT_NEAR(dependence.Widening(), 3, 0.3) << length;
  }
}

TEST(Dependence, IsTheSameFromTheEndBackwards) {
  std::vector<double> chain = Chain("chain", 2, 0.6, 500);
  const double forwards = DependenceOf(chain).variance_ratio;
  std::ranges::reverse(chain);
  EXPECT_NEAR(DependenceOf(chain).variance_ratio, forwards, 1e-9);
  EXPECT_GT(forwards, 2);
}

// 30 shops report each hour, and what happens in an hour happens in all.
TEST(Dependence, IsFoundAmongSamplesOfOneMoment) {
  std::vector<double> influence;
  std::vector<int64_t> times;
  for (int64_t hour = 0; hour < 1000; ++hour) {
    for (int64_t shop = 0; shop < 30; ++shop) {
      influence.push_back(NormalDraw("hour", 1, hour) + NormalDraw("shop", hour, shop));
      times.push_back(hour);
    }
  }
  EXPECT_NEAR(DependenceOf(influence, times).variance_ratio, 1 + 29 * 0.5, 3);
}

// Errors of a shop last from hour to hour; those of its neighbours in the window do not.
TEST(Dependence, IsFoundWhereEachSeriesOfManyFollowsItself) {
  std::vector<std::vector<double>> shops;
  for (int64_t shop = 0; shop < 20; ++shop) shops.push_back(Chain("shop", shop, 0.8, 20'000));
  std::vector<double> influence;
  std::vector<int64_t> times;
  for (size_t hour = 0; hour < 20'000; ++hour) {
    for (const std::vector<double>& shop : shops) {
      influence.push_back(shop[hour]);
      times.push_back(static_cast<int64_t>(hour));
    }
  }
  EXPECT_NEAR(DependenceOf(influence, times).variance_ratio, 9, 3);
}

// Errors are greater by day and smaller by night: over whole days, that adds up to nothing.
TEST(Dependence, IsNotFoundInTheHoursOfTheDay) {
  std::vector<double> influence;
  for (int64_t hour = 0; hour < 2400; ++hour) {
    influence.push_back(std::sin(2 * std::numbers::pi * static_cast<double>(hour) / 24) +
                        NormalDraw("noise", 1, hour));
  }
  EXPECT_LT(DependenceOf(influence).Widening(), 1.3);
}

TEST(Dependence, IsSoMuchWeakerAmongAShareOfTheSamples) {
  const std::vector<double> chain = Chain("chain", 3, 0.9, 400'000);
  std::vector<double> kept;
  for (size_t i = 0; i < chain.size(); ++i) {
    if (RandomUnit({.purpose = "kept"}, static_cast<int64_t>(i)) < 0.25) kept.push_back(chain[i]);
  }
  EXPECT_NEAR(DependenceOf(kept).Widening(0.25) / DependenceOf(chain).Widening(), 1, 0.1);
}

TEST(Dependence, IsNoneOfFewSamplesOrOfThoseThatSayNothing) {
  EXPECT_FALSE(DependenceOf({}).WasFound());
  EXPECT_FALSE(DependenceOf(Chain("chain", 4, 0.95, 7)).WasFound());
  EXPECT_FALSE(DependenceOf(std::vector<double>(500, 0.1)).WasFound());
  std::vector<double> diverged = Chain("chain", 5, 0.9, 100);
  diverged[50] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(DependenceOf(diverged).WasFound());
}

TEST(Dependence, IsBoundedWhereTheSamplesAreAllAlike) {
  std::vector<double> halves(300, 0);
  std::fill(halves.begin() + 150, halves.end(), 1);
  const Dependence dependence = DependenceOf(halves);
  EXPECT_LE(dependence.variance_ratio, 100);
  EXPECT_LT(dependence.Widening(), 100);
}

}  // namespace
}  // namespace tidemill::evaluator

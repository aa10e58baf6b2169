#include "supervisor/statistics/permutation.h"

#include <algorithm>
#include <limits>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/distances.h"
#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/two_samples/distances.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::Wasserstein;

TEST(Permutation, CountsTheObservedSplitAsOneOfThem) {
  std::vector<double> permuted(100, 0.0);
  std::fill_n(permuted.begin(), 3, 2.0);
  EXPECT_DOUBLE_EQ(PermutationPOf(1, permuted).p_value, 4.0 / 101);
  EXPECT_DOUBLE_EQ(PermutationPOf(3, permuted).p_value, 1.0 / 101);
}

TEST(Permutation, TriesEverySplitOfFewRowsOnce) {
  const Splits splits(4, 3, 100, 0);
  ASSERT_EQ(splits.num_splits(), 34);
  std::set<std::set<int64_t>> seen = {{0, 1, 2, 3}};
  for (int64_t index = 0; index < 34; ++index) {
    const auto rows = splits.At(index);
    ASSERT_EQ(rows.size(), 7);
    EXPECT_TRUE(seen.insert({rows.begin(), rows.begin() + 4}).second);
  }
  EXPECT_EQ(seen.size(), 35);
}

TEST(Permutation, DrawsSplitsThatDependOnTheSeedAlone) {
  const Splits one(50, 60, 10, 1), same(50, 60, 10, 1), other(50, 60, 10, 2);
  EXPECT_EQ(one.At(3), same.At(3));
  EXPECT_NE(one.At(3), one.At(4));
  EXPECT_NE(one.At(3), other.At(3));
}

TEST(Permutation, HasUniformPWithoutDrift) {
  std::vector<double> p_values;
  for (int64_t seed = 0; seed < 1000; ++seed) {
    const auto x = testing::Normals(25, 2 * seed), y = testing::Normals(15, 2 * seed + 1);
    p_values.push_back(
        PermutationTest({x}, {y}, Wasserstein, {.permutations = 99, .seed = seed}).p_value);
  }
  EXPECT_GT(testing::UniformityP(p_values), 1e-3);
  EXPECT_GE(*std::min_element(p_values.begin(), p_values.end()), 0.01);
}

TEST(Permutation, StopsEarlyWithoutChangingTheDecision) {
  int64_t drawn = 0, fired = 0;
  for (int64_t seed = 0; seed < 200; ++seed) {
    const auto x = testing::Normals(30, 2 * seed);
    const auto y = testing::Normals(30, 2 * seed + 1, seed % 2 == 0 ? 0 : 0.8);
    PermutationOptions options = {.permutations = 199, .seed = seed};
    const bool all = PermutationTest({x}, {y}, Wasserstein, options).p_value <= 0.05;
    options.stop_above = 0.05;
    const PermutationP early = PermutationTest({x}, {y}, Wasserstein, options);
    EXPECT_EQ(early.p_value <= 0.05, all) << seed;
    drawn += early.drawn;
    fired += all ? 1 : 0;
  }
  EXPECT_GT(fired, 60);
  EXPECT_LT(drawn, 200 * 199 * 3 / 4);
}

TEST(Permutation, RaisesNoMoreFalseAlarmsThanStatedWhenItStopsEarly) {
  int64_t alarms = 0;
  for (int64_t seed = 0; seed < 1000; ++seed) {
    const auto x = testing::Normals(20, 2 * seed), y = testing::Normals(20, 2 * seed + 1);
    const PermutationOptions options = {.permutations = 99, .seed = seed, .stop_above = 0.1};
    alarms += PermutationTest({x}, {y}, Wasserstein, options).p_value <= 0.1 ? 1 : 0;
  }
  // 100 on average, deviation 9.5.
  EXPECT_NEAR(static_cast<double>(alarms), 100, 30);
}

// Columns in order give the same answer as rows do, with values missing or not.
TEST(Permutation, OfColumnsIsThatOfRows) {
  auto x = testing::Normals(2 * 60, 1), y = testing::Normals(2 * 40, 2, 0.3);
  const auto greatest = [](const Rows& left, const Rows& right) {
    return std::max(EnergyDistance(ColumnOf(left, 0), ColumnOf(right, 0)),
                    EnergyDistance(ColumnOf(left, 1), ColumnOf(right, 1)));
  };
  for (const bool lacks : {false, true}) {
    for (size_t i = 0; lacks && i < y.size(); i += 6) {
      x[i] = y[i] = std::numeric_limits<double>::quiet_NaN();
    }
    const PermutationP of_rows =
        PermutationTest({x, 2}, {y, 2}, greatest, {.permutations = 200, .seed = 5});
    const PermutationP of_columns =
        PermutationTest({x, 2}, {y, 2}, std::vector<int64_t>{0, 1}, EnergyDistance,
                        {.permutations = 200, .seed = 5});
    EXPECT_EQ(of_columns.p_value, of_rows.p_value);
    EXPECT_DOUBLE_EQ(of_columns.observed, of_rows.observed);
  }
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

#include "supervisor/statistics/two_samples/mann_whitney.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/testing/vectors.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::IsNear;
using testing::Numbers;
using testing::Vectors;

TEST(MannWhitney, AgreesWithSciPy) {
  const auto& known = Vectors().at("two_sample").at(0);
  const auto x = Numbers(known.at("x")), y = Numbers(known.at("y"));
  const MannWhitney test = MannWhitneyTest(x, y);
  EXPECT_EQ(test.roc_auc, 49.0 / 64);
  EXPECT_NEAR(test.p_value, 0.0829836830, 5e-11);
  EXPECT_NEAR(MannWhitneyTest(x, y, Alternative::kGreater).p_value, 0.0829836830 / 2, 5e-11);
  EXPECT_NEAR(MannWhitneyTest(y, x, Alternative::kLess).p_value, 0.0829836830 / 2, 5e-11);
  EXPECT_GT(MannWhitneyTest(x, y, Alternative::kLess).p_value, 0.95);
}

TEST(MannWhitney, TakesTheLimitWhereValuesTie) {
  // SciPy 1.17: mannwhitneyu([1, 2, 2, 3], [2, 3, 3, 4], use_continuity=False,
  // method="asymptotic").
  const std::vector<double> x = {1, 2, 2, 3}, y = {2, 3, 3, 4};
  const MannWhitney test = MannWhitneyTest(x, y);
  EXPECT_FALSE(test.exact);
  EXPECT_EQ(test.roc_auc, 13.0 / 16);
  EXPECT_THAT(test.p_value, IsNear(0.129155013990068));
}

TEST(MannWhitney, SaysNothingOfEqualValues) {
  const std::vector<double> same = {5, 5, 5};
  EXPECT_EQ(MannWhitneyTest(same, same).p_value, 1);
  EXPECT_EQ(MannWhitneyTest(same, same).roc_auc, 0.5);
}

TEST(MannWhitney, HasUniformPWithoutDrift) {
  std::vector<double> p_values;
  for (int64_t seed = 0; seed < 2000; ++seed) {
    const auto x = testing::Normals(50, 2 * seed), y = testing::Normals(30, 2 * seed + 1);
    p_values.push_back(MannWhitneyTest(x, y).p_value);
  }
  EXPECT_GT(testing::UniformityP(p_values), 1e-3);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

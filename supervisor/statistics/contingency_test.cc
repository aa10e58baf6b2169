#include "supervisor/statistics/contingency.h"

#include <vector>

#include "gtest/gtest.h"

namespace tidemill::supervisor::statistics {
namespace {

TEST(Contingency, AgreesWithSciPy) {
  const ChiSquared two = ChiSquaredTest(std::vector<int64_t>{30, 70}, std::vector<int64_t>{50, 50});
  EXPECT_NEAR(two.statistic, 8.3333333333, 5e-11);
  EXPECT_NEAR(two.p_value, 0.0038924171, 5e-11);
  const ChiSquared fit = GoodnessOfFit(std::vector<int64_t>{16, 16, 16, 16, 16, 8},
                                       std::vector<int64_t>{16, 18, 16, 14, 12, 12});
  EXPECT_NEAR(fit.statistic, 3.1746031746, 5e-11);
  EXPECT_EQ(fit.degrees_of_freedom, 5);
  EXPECT_NEAR(fit.p_value, 0.6730876007, 5e-11);
  EXPECT_NEAR(FisherExactP(8, 2, 1, 5), 0.0349650350, 5e-11);
}

TEST(Contingency, LeavesOutClassesThatNobodyHas) {
  const ChiSquared with =
      ChiSquaredTest(std::vector<int64_t>{3, 0, 7}, std::vector<int64_t>{5, 0, 5});
  EXPECT_EQ(with.degrees_of_freedom, 1);
  const ChiSquared one = ChiSquaredTest(std::vector<int64_t>{4}, std::vector<int64_t>{9});
  EXPECT_EQ(one.statistic, 0);
  EXPECT_EQ(one.p_value, 1);
}

TEST(Contingency, IsTheSameEitherWay) {
  const std::vector<int64_t> x = {1, 2, 30, 4}, y = {5, 6, 7, 8};
  EXPECT_DOUBLE_EQ(ChiSquaredTest(x, y).statistic, ChiSquaredTest(y, x).statistic);
  EXPECT_DOUBLE_EQ(FisherExactP(3, 3, 3, 3), 1);
  EXPECT_DOUBLE_EQ(FisherExactP(8, 2, 1, 5), FisherExactP(2, 8, 5, 1));
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

#include "supervisor/statistics/contingency.h"

#include "gtest/gtest.h"

namespace tidemill::supervisor::statistics {
namespace {

TEST(FisherExactP, AgreesWithSciPy) { EXPECT_NEAR(FisherExactP(8, 2, 1, 5), 0.0349650350, 5e-11); }

TEST(FisherExactP, IsTheSameEitherWay) {
  EXPECT_DOUBLE_EQ(FisherExactP(3, 3, 3, 3), 1);
  EXPECT_DOUBLE_EQ(FisherExactP(8, 2, 1, 5), FisherExactP(2, 8, 5, 1));
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

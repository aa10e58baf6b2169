#include "supervisor/statistics/distributions.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace tidemill::supervisor::statistics {
namespace {

TEST(Distributions, AgreeWithTables) {
  EXPECT_NEAR(NormalTail(1.959963984540054), 0.025, 1e-12);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(BinomialTail(70, 100, 0.5), 3.925069822796835e-05, 1e-15);
  EXPECT_NEAR(KolmogorovTail(1.358098620657588), 0.05, 1e-6);
  // Anderson and Darling's table.
  EXPECT_NEAR(CramerVonMisesTail(0.46136), 0.05, 1e-5);
  EXPECT_NEAR(CramerVonMisesTail(0.74346), 0.01, 1e-5);
}

TEST(Distributions, AreOneAndZeroAtTheEnds) {
  EXPECT_EQ(KolmogorovTail(0), 1);
  EXPECT_EQ(KolmogorovTail(0.1), 1);
  EXPECT_LT(KolmogorovTail(5), 1e-20);
  EXPECT_EQ(CramerVonMisesTail(0.001), 1);
  EXPECT_NEAR(CramerVonMisesTail(0.02), 1 - 0.00300, 1e-4);
  EXPECT_LT(CramerVonMisesTail(5), 1e-9);
  EXPECT_EQ(BinomialTail(0, 10, 0.5), 1);
  EXPECT_EQ(BinomialTail(11, 10, 0.5), 0);
}

TEST(Distributions, ChangeSeriesWithoutAStep) {
  EXPECT_NEAR(KolmogorovTail(std::nextafter(0.8, 0)), KolmogorovTail(0.8), 1e-13);
}

TEST(Distributions, GiveNoNumberOutsideTheirDomain) {
  EXPECT_TRUE(std::isnan(NormalTail(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

#include "supervisor/statistics/multiple_testing.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/draws.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<double> kP = {.205, .001, .008, .039, .041, .042, .06, .074};

TEST(MultipleTesting, CallsFewerColumnsThanTestsOnTheirOwn) {
  EXPECT_THAT(DriftedColumns(kP, 0.05, Correction::kBonferroni), ElementsAre(1));
  EXPECT_THAT(DriftedColumns(kP, 0.05, Correction::kFdr), ElementsAre(1, 2));
  EXPECT_THAT(DriftedColumns(std::vector<double>{.5, .9}, 0.05, Correction::kFdr), IsEmpty());
}

TEST(MultipleTesting, TakesColumnsWithTheOneThatReachesItsLevel) {
  // .03 is above its own level, .025, and comes in with .04, the second of two.
  EXPECT_THAT(DriftedColumns(std::vector<double>{.04, .03}, 0.05, Correction::kFdr),
              ElementsAre(0, 1));
}

TEST(MultipleTesting, MakesOnePOfMany) {
  EXPECT_DOUBLE_EQ(CombinedP(kP, Correction::kBonferroni), 0.008);
  EXPECT_DOUBLE_EQ(CombinedP(kP, Correction::kFdr), 0.008);
  EXPECT_EQ(CombinedP(std::vector<double>{.9, .8}, Correction::kBonferroni), 1);
  EXPECT_DOUBLE_EQ(CombinedP(std::vector<double>{.04, .03}, Correction::kFdr), 0.04);
}

TEST(MultipleTesting, CombinesToPBelowAlphaExactlyWhenAColumnIsCalled) {
  for (int64_t seed = 0; seed < 500; ++seed) {
    auto p = testing::Uniforms(6, seed);
    for (double& value : p) value *= 0.3;
    for (const auto correction : {Correction::kBonferroni, Correction::kFdr}) {
      EXPECT_EQ(CombinedP(p, correction) < 0.1, !DriftedColumns(p, 0.1, correction).empty());
    }
  }
}

TEST(MultipleTesting, SpendsItsLevelOnce) {
  double spent = 0;
  for (int64_t n = 1; n <= 100'000; ++n) spent += SpentAlpha(0.05, n);
  EXPECT_LT(spent, 0.05);
  EXPECT_NEAR(spent, 0.05, 1e-6);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

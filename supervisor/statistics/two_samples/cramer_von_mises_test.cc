#include "supervisor/statistics/two_samples/cramer_von_mises.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/testing/vectors.h"
#include "supervisor/statistics/two_samples/kolmogorov_smirnov.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::IsNear;
using testing::Numbers;
using testing::Vectors;

TEST(CramerVonMises, AgreesWithSciPy) {
  for (const auto& known : Vectors().at("two_sample")) {
    const auto x = Numbers(known.at("x")), y = Numbers(known.at("y"));
    const CramerVonMises test = CramerVonMisesTest(x, y);
    EXPECT_THAT(test.statistic, IsNear(known.at("cvm").get<double>()));
    EXPECT_THAT(test.p_value, IsNear(known.at("cvm_p_exact").get<double>()));
    EXPECT_THAT(CramerVonMisesLimitP(test.statistic, static_cast<int64_t>(x.size()),
                                     static_cast<int64_t>(y.size())),
                IsNear(known.at("cvm_p_asymptotic").get<double>()));
  }
}

TEST(CramerVonMises, SeesAShiftThatKolmogorovSmirnovMisses) {
  std::vector<double> x, y;
  for (int i = 0; i < 50; ++i) {
    x.push_back(i / 50.0);
    y.push_back(i / 50.0 + 0.2);
  }
  const CramerVonMises test = CramerVonMisesTest(x, y);
  EXPECT_NEAR(test.statistic, 0.8823, 5e-5);
  EXPECT_NEAR(test.p_value, 0.004608945, 5e-10);
  EXPECT_NEAR(KolmogorovSmirnovTest(x, y).p_value, 0.178587, 5e-7);
}

TEST(CramerVonMises, GivesTiesTheirMeanRank) {
  // Against SciPy 1.17: cramervonmises_2samp([1, 2, 2, 3], [2, 3, 3, 4]).
  const std::vector<double> x = {1, 2, 2, 3}, y = {2, 3, 3, 4};
  for (const CramerVonMises& test : {CramerVonMisesTest(x, y), CramerVonMisesTest(y, x)}) {
    EXPECT_THAT(test.statistic, IsNear(0.25));
    EXPECT_THAT(test.p_value, IsNear(0.2571428571428571));
  }
}

TEST(CramerVonMises, HasAnExactPUpToTwentyRows) {
  const auto x = testing::Normals(20, 1), y = testing::Normals(19, 2);
  const CramerVonMises test = CramerVonMisesTest(x, y);
  EXPECT_TRUE(test.exact);
  EXPECT_NEAR(test.p_value, CramerVonMisesLimitP(test.statistic, 20, 19), 0.02);
}

TEST(CramerVonMises, HasUniformPWithoutDrift) {
  std::vector<double> p_values;
  for (int64_t seed = 0; seed < 2000; ++seed) {
    const auto x = testing::Normals(60, 2 * seed), y = testing::Normals(90, 2 * seed + 1);
    p_values.push_back(CramerVonMisesTest(x, y).p_value);
  }
  EXPECT_GT(testing::UniformityP(p_values), 1e-3);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

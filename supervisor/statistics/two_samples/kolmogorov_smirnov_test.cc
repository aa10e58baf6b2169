#include "supervisor/statistics/two_samples/kolmogorov_smirnov.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/testing/vectors.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::IsNear;
using testing::Numbers;
using testing::Vectors;

TEST(KolmogorovSmirnov, AgreesWithSciPy) {
  for (const auto& known : Vectors().at("two_sample")) {
    const auto x = Numbers(known.at("x")), y = Numbers(known.at("y"));
    const KolmogorovSmirnov both = KolmogorovSmirnovTest(x, y);
    EXPECT_THAT(both.distance, IsNear(known.at("ks").get<double>()));
    EXPECT_THAT(both.p_value, IsNear(known.at("ks_p_exact").get<double>()));
    const KolmogorovSmirnov greater = KolmogorovSmirnovTest(x, y, Alternative::kGreater);
    EXPECT_THAT(greater.p_value, IsNear(known.at("ks_p_greater_exact").get<double>()));
    // The same the other way round.
    const KolmogorovSmirnov less = KolmogorovSmirnovTest(y, x, Alternative::kLess);
    EXPECT_EQ(less.distance, greater.distance);
    EXPECT_THAT(less.p_value, IsNear(greater.p_value));
  }
}

TEST(KolmogorovSmirnov, KnowsExactAndLimitingPOfLargerSamples) {
  struct Known {
    int64_t n, m, steps;
    double exact, limit;
  };
  for (const Known& known : {Known{50, 50, 700, .0391945862, .0396818795},
                             Known{100, 100, 2000, .0363842879, .0366310527},
                             Known{100, 150, 2700, .0374298035, .0409722030},
                             Known{1000, 1000, 60'000, .0546266651, .0546463301}}) {
    const double distance =
        static_cast<double>(known.steps) / static_cast<double>(known.n * known.m);
    EXPECT_NEAR(KolmogorovSmirnovExactP(known.n, known.m, known.steps), known.exact, 6e-11);
    EXPECT_NEAR(KolmogorovSmirnovLimitP(known.n, known.m, distance), known.limit, 6e-11);
  }
}

TEST(KolmogorovSmirnov, KeepsTheDigitsOfSmallP) {
  // Two of the C(40, 20) paths go round all.
  EXPECT_THAT(KolmogorovSmirnovExactP(20, 20, 400), IsNear(2 / 137846528820.0));
}

TEST(KolmogorovSmirnov, SeesNoDriftInEqualSamples) {
  const std::vector<double> values = {1, 1, 2, 5};
  const KolmogorovSmirnov test = KolmogorovSmirnovTest(values, values);
  EXPECT_EQ(test.distance, 0);
  EXPECT_EQ(test.p_value, 1);
}

TEST(KolmogorovSmirnov, TakesTheLimitForManyRows) {
  const auto x = testing::Normals(20'000, 1), y = testing::Normals(20'000, 2);
  const KolmogorovSmirnov same = KolmogorovSmirnovTest(x, y);
  EXPECT_FALSE(same.exact);
  EXPECT_GT(same.p_value, 0.01);
  EXPECT_LT(KolmogorovSmirnovTest(x, testing::Normals(20'000, 2, 0.1)).p_value, 1e-10);
}

TEST(KolmogorovSmirnov, RaisesNoMoreFalseAlarmsThanStated) {
  int64_t alarms = 0;
  for (int64_t seed = 0; seed < 2000; ++seed) {
    const auto x = testing::Normals(60, 2 * seed), y = testing::Normals(40, 2 * seed + 1);
    alarms += KolmogorovSmirnovTest(x, y).p_value <= 0.05 ? 1 : 0;
  }
  // 100 on average at most, deviation 10; p is discrete, so they are a few less.
  EXPECT_LE(alarms, 125);
  EXPECT_GE(alarms, 60);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

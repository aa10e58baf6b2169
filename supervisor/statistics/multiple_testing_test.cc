#include "supervisor/statistics/multiple_testing.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/draws.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<double> kP = {.205, .001, .008, .039, .041, .042, .06, .074};

// By the definition, ascending.
std::vector<int64_t> DriftedColumns(const std::vector<double>& p_values, double alpha,
                                    Correction correction) {
  std::vector<double> sorted = p_values;
  std::sort(sorted.begin(), sorted.end());
  const auto num_columns = static_cast<double>(sorted.size());
  double greatest = correction == Correction::kFdr ? -1 : std::nextafter(alpha / num_columns, 0);
  for (size_t i = 0; correction == Correction::kFdr && i < sorted.size(); ++i) {
    if (sorted[i] < alpha * static_cast<double>(i + 1) / num_columns) greatest = sorted[i];
  }
  std::vector<int64_t> columns;
  for (size_t i = 0; i < p_values.size(); ++i) {
    if (p_values[i] <= greatest) columns.push_back(static_cast<int64_t>(i));
  }
  return columns;
}

std::vector<int64_t> CalledBy(const std::vector<double>& corrected, double alpha) {
  std::vector<int64_t> columns;
  for (size_t i = 0; i < corrected.size(); ++i) {
    if (corrected[i] < alpha) columns.push_back(static_cast<int64_t>(i));
  }
  return columns;
}

TEST(MultipleTesting, CallsFewerColumnsThanTestsOnTheirOwn) {
  EXPECT_THAT(CalledBy(CorrectedP(kP, Correction::kBonferroni), 0.05), ElementsAre(1));
  EXPECT_THAT(CalledBy(CorrectedP(kP, Correction::kFdr), 0.05), ElementsAre(1, 2));
  EXPECT_THAT(CalledBy(CorrectedP(std::vector<double>{.5, .9}, Correction::kFdr), 0.05), IsEmpty());
}

TEST(MultipleTesting, TakesColumnsWithTheOneThatReachesItsLevel) {
  // .03 is above its own level, .025, and comes in with .04, the second of two.
  EXPECT_THAT(CalledBy(CorrectedP(std::vector<double>{.04, .03}, Correction::kFdr), 0.05),
              ElementsAre(0, 1));
}

// By p.adjust() of R.
TEST(MultipleTesting, CorrectsEachP) {
  const auto near = [](const std::vector<double>& numbers) {
    std::vector<::testing::Matcher<double>> matchers;
    for (const double number : numbers) matchers.push_back(::testing::DoubleNear(number, 1e-9));
    return ::testing::ElementsAreArray(matchers);
  };
  EXPECT_THAT(CorrectedP(kP, Correction::kFdr),
              near({.205, .008, .032, .0672, .0672, .0672, .08, .592 / 7}));
  EXPECT_THAT(CorrectedP(kP, Correction::kBonferroni),
              near({1, .008, .064, .312, .328, .336, .48, .592}));
}

TEST(MultipleTesting, CorrectsToPBelowAlphaExactlyTheColumnsThatAreCalled) {
  for (int64_t seed = 0; seed < 500; ++seed) {
    auto p = testing::Uniforms(6, seed);
    for (double& value : p) value *= 0.3;
    for (const auto correction : {Correction::kBonferroni, Correction::kFdr}) {
      EXPECT_EQ(CalledBy(CorrectedP(p, correction), 0.1), DriftedColumns(p, 0.1, correction));
    }
  }
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

#include "supervisor/statistics/forecasts/expected_regret.h"

#include <cmath>

#include "gtest/gtest.h"

namespace tidemill::supervisor::statistics {
namespace {

TEST(ErrorBelief, IsTheBetaPosteriorUnderJeffreysPrior) {
  // Beta(10.5, 90.5): its mean is 10.5 / 101, its variance 10.5 * 90.5 / (101^2 * 102).
  const NormalBelief belief = ErrorBelief(10, 100);
  EXPECT_DOUBLE_EQ(belief.mean, 10.5 / 101);
  EXPECT_NEAR(belief.variance, 10.5 * 90.5 / (101.0 * 101 * 102), 1e-15);
}

TEST(ExcessRegret, IsTheDifferenceWhereBothErrorsAreCertain) {
  EXPECT_DOUBLE_EQ(ExcessRegret({.mean = .3}, {.mean = .1}), .2);
  EXPECT_DOUBLE_EQ(ExcessRegret({.mean = .1}, {.mean = .3}), 0);
}

// By numerical integration of max(0, x) over the density.
double ByIntegration(double mean, double deviation) {
  double sum = 0;
  const double step = deviation / 2000;
  const auto num_steps = static_cast<int>((mean + 12 * deviation) / step);
  for (int i = 0; i < num_steps; ++i) {
    const double x = (i + 0.5) * step;
    const double z = (x - mean) / deviation;
    sum += x * std::exp(-z * z / 2) / (deviation * std::sqrt(2 * M_PI)) * step;
  }
  return sum;
}

TEST(ExcessRegret, IsTheExpectedRegretLessThatOfChance) {
  for (const double difference : {-.02, 0.0, .01, .05}) {
    const double deviation = std::sqrt(2e-4 + 1e-4);
    EXPECT_NEAR(
        ExcessRegret({.mean = .1 + difference, .variance = 2e-4}, {.mean = .1, .variance = 1e-4}),
        ByIntegration(difference, deviation) - deviation / std::sqrt(M_PI), 1e-8);
  }
}

// The difference of two means of samples is normal with the sum of the variances, and what is
// believed of it adds the same variance again: over both, the regret is the regret by chance.
TEST(ExcessRegret, IsZeroInTheMeanWithoutDrift) {
  double sum = 0;
  const double deviation = .03, step = .01;
  for (int i = -800; i <= 800; ++i) {
    const double z = i * step;
    sum +=
        std::exp(-z * z / 2) / std::sqrt(2 * M_PI) * step *
        ExcessRegret({.mean = .1 + z * deviation, .variance = deviation * deviation}, {.mean = .1});
  }
  EXPECT_NEAR(sum, 0, 1e-9);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

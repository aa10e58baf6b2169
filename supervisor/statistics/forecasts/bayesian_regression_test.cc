#include "supervisor/statistics/forecasts/bayesian_regression.h"

#include "gtest/gtest.h"

namespace tidemill::supervisor::statistics {
namespace {

using Regression = BayesianRegression<3>;

Regression::Prior SomePrior() {
  Regression::Prior prior;
  prior.mean << 0, 1, 0;
  prior.precision << 1, 2, 4;
  return prior;
}

TEST(BayesianRegression, PredictsItsPriorWithoutData) {
  const Regression regression(SomePrior());
  // The variance is .1 (1 + 1 / 1 + 3^2 / 2 + 2^2 / 4).
  const NormalBelief belief = regression.Predict({1, 3, 2});
  EXPECT_DOUBLE_EQ(belief.mean, 3);
  EXPECT_NEAR(belief.variance, .1 * (1 + 1 + 4.5 + 1), 1e-15);
}

// By NumPy, with the sum of squared residuals in place of the difference of sums.
TEST(BayesianRegression, AgreesWithItsPosteriorInMatrices) {
  Regression regression(SomePrior());
  const std::vector<std::pair<Regression::Vector, double>> rows = {{{1, .5, -1}, 1.2},
                                                                   {{1, 2, .3}, 2.9},
                                                                   {{1, -1, .7}, -.4},
                                                                   {{1, 1.5, 2}, 3.8},
                                                                   {{1, 0, 0}, .9}};
  for (const auto& [x, y] : rows) regression.Add(x, y);
  regression.Fit();
  EXPECT_NEAR(regression.weights()[0], .68854067, 1e-8);
  EXPECT_NEAR(regression.weights()[1], 1.23930013, 1e-8);
  EXPECT_NEAR(regression.weights()[2], .2754278, 1e-7);
  const NormalBelief belief = regression.Predict({1, 1, -.5});
  EXPECT_NEAR(belief.mean, 1.790126898673332, 1e-12);
  EXPECT_NEAR(belief.variance, 0.32970311042510697, 1e-12);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

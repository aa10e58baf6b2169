#include "subsets/matching_pursuit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "Eigen/Cholesky"
#include "subsets/non_negative_least_squares.h"
#include "subsets/testing/random_rows.h"

namespace tidemill::subsets {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OwnedRows;
using testing::RandomRows;
using ::testing::SizeIs;

const std::vector<float> kColumns = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0.5F, 0.5F, 0.5F};
const Rows kToMatchWith{kColumns, 5, 3};
const std::vector<double> kTarget = {2, 1, 0.5};

TEST(MatchingPursuit, ChoosesAsTheReference) {
  Pursuit pursuit = MatchTarget(kToMatchWith, kTarget, {.k = 3});
  EXPECT_THAT(pursuit.rows, ElementsAre(3, 0, 2));
  EXPECT_THAT(pursuit.weights,
              ElementsAre(DoubleNear(1, 1e-9), DoubleNear(1, 1e-9), DoubleNear(0.5, 1e-9)));
  EXPECT_NEAR(pursuit.residual, 0, 1e-9);
  pursuit = MatchTarget(kToMatchWith, kTarget, {.k = 2});
  EXPECT_THAT(pursuit.rows, ElementsAre(3, 0));
  EXPECT_NEAR(pursuit.residual, 0.5, 1e-9);
  pursuit = MatchTarget(kToMatchWith, kTarget, {.k = 3, .ridge = 0.5});
  EXPECT_THAT(pursuit.rows, ElementsAre(3, 0, 2));
  EXPECT_THAT(pursuit.weights,
              ElementsAre(DoubleNear(0.9090909090909096, 1e-9), DoubleNear(0.727272727272727, 1e-9),
                          DoubleNear(0.3333333333333333, 1e-9)));
  EXPECT_NEAR(pursuit.residual, 0.4102117082024506, 1e-9);
  pursuit = MatchTarget(kToMatchWith, kTarget, {.k = 3, .ridge = 1});
  EXPECT_THAT(pursuit.rows, ElementsAre(3, 0, 4));
  EXPECT_THAT(pursuit.weights, ElementsAre(DoubleNear(0.6607142857142856, 1e-9),
                                           DoubleNear(0.5535714285714285, 1e-9),
                                           DoubleNear(0.46428571428571436, 1e-9)));
  EXPECT_NEAR(pursuit.residual, 0.6242342247481621, 1e-9);
}

TEST(MatchingPursuit, RecoversCombinationsOfFewRows) {
  for (int64_t seed = 0; seed < 20; ++seed) {
    const OwnedRows owned = RandomRows(6, 40, seed);
    std::vector<double> target(40, 0.0);
    for (size_t i = 0; i < 40; ++i) {
      target[i] = 2.0 * owned.rows().Row(1)[i] + 0.5 * owned.rows().Row(4)[i];
    }
    const Pursuit pursuit = MatchTarget(owned.rows(), target, {.k = 6});
    EXPECT_NEAR(pursuit.residual, 0, 1e-6);
  }
}

TEST(MatchingPursuit, ComesNoFartherFromItsTargetWithMoreRows) {
  const OwnedRows owned = RandomRows(200, 30, 3);
  const std::vector<double> mean = MeanRow(owned.rows());
  double before = 1e300;
  for (int64_t k = 1; k <= 20; ++k) {
    const Pursuit pursuit = MatchTarget(owned.rows(), mean, {.k = k});
    EXPECT_LE(pursuit.residual, before + 1e-9);
    EXPECT_LE(std::ssize(pursuit.rows), k);
    EXPECT_THAT(pursuit.weights, ::testing::Each(::testing::Gt(0)));
    before = pursuit.residual;
  }
}

TEST(MatchingPursuit, PassesOverRowsThatAddNothing) {
  const std::vector<float> rows = {1, 0, 1, 0, 2, 0, 0, 0, 0, 1};  // Duplicates and a row of zeros.
  const Pursuit pursuit = MatchTarget({rows, 5, 2}, std::vector<double>{3, 1}, {.k = 5});
  EXPECT_THAT(pursuit.rows, ElementsAre(2, 4));
  EXPECT_THAT(pursuit.weights, ElementsAre(DoubleNear(1.5, 1e-12), DoubleNear(1, 1e-12)));
}

TEST(MatchingPursuit, ChoosesNoneWhenNothingPointsTowardsTheTarget) {
  const std::vector<float> rows = {-1, 0, 0, -1};
  EXPECT_THAT(MatchTarget({rows, 2, 2}, std::vector<double>{1, 1}, {.k = 2}).rows, IsEmpty());
  EXPECT_THAT(MatchTarget({rows, 2, 2}, std::vector<double>{0, 0}, {.k = 2}).rows, IsEmpty());
  EXPECT_THAT(MatchTarget({{}, 0, 2}, std::vector<double>{1, 1}, {.k = 2}).rows, IsEmpty());
  EXPECT_THAT(MatchTarget(kToMatchWith, kTarget, {.k = 0}).rows, IsEmpty());
}

TEST(MatchingPursuit, DoesNotDependOnThreads) {
  const OwnedRows owned = RandomRows(1000, 20, 9);
  WorkerPool pool("pursuit", 3);
  const std::vector<double> mean = MeanRow(owned.rows());
  const Pursuit one = MatchTarget(owned.rows(), mean, {.k = 50, .ridge = 0.1});
  const Pursuit four = MatchTarget(owned.rows(), mean, {.k = 50, .ridge = 0.1}, &pool);
  EXPECT_EQ(one.rows, four.rows);
  EXPECT_EQ(one.weights, four.weights);
}

struct System {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
};

System RandomSystem(Eigen::Index rows, Eigen::Index columns, int64_t seed) {
  const RandomKey key{.seed = seed, .purpose = "system"};
  System system{Eigen::MatrixXd(rows, columns), Eigen::VectorXd(rows)};
  int64_t next = 0;
  for (double& x : system.a.reshaped()) x = 2 * RandomUnit(key, next++) - 1;
  for (double& x : system.b) x = 2 * RandomUnit(key, next++) - 1;
  return system;
}

// The definition: the best over all sets of columns of the solutions that are not negative.
Eigen::VectorXd ByAllSets(const System& system) {
  const Eigen::Index n = system.a.cols();
  Eigen::VectorXd best = Eigen::VectorXd::Zero(n);
  double least = system.b.squaredNorm();
  for (uint32_t set = 1; set < (1U << n); ++set) {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index i = 0; i < n; ++i) {
      if ((set >> i & 1U) != 0) columns.push_back(i);
    }
    const Eigen::MatrixXd a = system.a(Eigen::all, columns);
    const Eigen::VectorXd w = (a.transpose() * a).ldlt().solve(a.transpose() * system.b);
    const double error = (a * w - system.b).squaredNorm();
    if ((w.array() < 0).any() || error >= least) continue;
    least = error;
    best.setZero();
    for (size_t i = 0; i < columns.size(); ++i) best[columns[i]] = w[static_cast<Eigen::Index>(i)];
  }
  return best;
}

Eigen::VectorXd SolveNonNegative(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                 double ridge = 0) {
  Eigen::MatrixXd gram = a.transpose() * a;
  gram.diagonal().array() += ridge;
  return SolveNonNegativeByProducts(gram, a.transpose() * b);
}

TEST(NonNegativeLeastSquares, FindTheBestWeights) {
  for (int64_t seed = 0; seed < 200; ++seed) {
    const System system = RandomSystem(8, 6, seed);
    const Eigen::VectorXd found = SolveNonNegative(system.a, system.b);
    EXPECT_LT((found - ByAllSets(system)).cwiseAbs().maxCoeff(), 1e-9) << seed;
  }
}

TEST(NonNegativeLeastSquares, MeetTheConditionsOfOptimality) {
  for (int64_t seed = 0; seed < 50; ++seed) {
    const System system = RandomSystem(30, 60, seed);  // More columns than rows.
    for (const double ridge : {0.1, 1.0}) {
      const Eigen::VectorXd w = SolveNonNegative(system.a, system.b, ridge);
      const Eigen::VectorXd slope = system.a.transpose() * (system.a * w - system.b) + ridge * w;
      for (Eigen::Index i = 0; i < w.size(); ++i) {
        EXPECT_GE(w[i], 0);
        if (w[i] > 0) {
          EXPECT_NEAR(slope[i], 0, 1e-9);
        } else {
          EXPECT_GE(slope[i], -1e-9);
        }
      }
    }
  }
}

TEST(NonNegativeLeastSquares, OfDependentColumnsStayFiniteAndGood) {
  Eigen::MatrixXd a(3, 4);
  a << 1, 1, 2, 0, 0, 0, 0, 0, 1, 1, 2, -1;
  const Eigen::VectorXd b = Eigen::Vector3d(4, 5, 4);
  const Eigen::VectorXd w = SolveNonNegative(a, b);
  EXPECT_TRUE(w.allFinite());
  EXPECT_NEAR((a * w - b).norm(), 5, 1e-9);
  EXPECT_GE(w.minCoeff(), 0);
  EXPECT_EQ(SolveNonNegative(Eigen::MatrixXd(3, 0), b).size(), 0);
  EXPECT_EQ(SolveNonNegative(-a.leftCols(1), b).norm(), 0);
}

}  // namespace
}  // namespace tidemill::subsets

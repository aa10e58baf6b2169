#include "supervisor/statistics/two_samples/classifier_two_sample.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "Eigen/Cholesky"
#include "Eigen/Core"
#include "supervisor/statistics/distributions.h"
#include "supervisor/statistics/two_samples/mann_whitney.h"

namespace tidemill::supervisor::statistics {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixView = Eigen::Map<const Matrix>;

constexpr double kRidge = 1;
constexpr int kMaxSteps = 25;

// A window in a random order, learnt from up to `num_train`.
struct Window {
  Matrix rows;
  int64_t num_train;
};

Window MakeWindow(const Rows& rows, const ClassifierOptions& options, std::string_view purpose) {
  const int64_t count = std::min(rows.num_rows(), options.most_rows);
  std::vector<int64_t> numbers(static_cast<size_t>(rows.num_rows()));
  std::iota(numbers.begin(), numbers.end(), 0);
  DrawFirst(numbers, count, {.seed = options.seed, .purpose = purpose});
  numbers.resize(static_cast<size_t>(count));
  const std::vector<double> values = Gather(rows, numbers);
  const auto train = static_cast<int64_t>(options.train_share * static_cast<double>(count));
  return {MatrixView(values.data(), count, rows.num_columns),
          std::clamp<int64_t>(train, 1, count - 1)};
}

struct Regression {
  Eigen::RowVectorXd mean;
  Eigen::RowVectorXd scale;
  Eigen::VectorXd weights;  // The last one is the intercept.

  // The columns standardised, and one of ones.
  Matrix Design(const Matrix& rows) const {
    Matrix design(rows.rows(), rows.cols() + 1);
    design.leftCols(rows.cols()) = (rows.rowwise() - mean).array().rowwise() / scale.array();
    design.col(rows.cols()).setOnes();
    return design;
  }
  Eigen::VectorXd Scores(const Matrix& rows) const { return Design(rows) * weights; }
};

Regression Fit(const Matrix& rows, const Eigen::VectorXd& truth) {
  Regression fit;
  fit.mean = rows.colwise().mean();
  fit.scale =
      ((rows.rowwise() - fit.mean).colwise().squaredNorm() / static_cast<double>(rows.rows()))
          .cwiseSqrt();
  // A column that never changes tells nothing; its slope stays 0.
  fit.scale = (fit.scale.array() > 0).select(fit.scale, 1.0);
  const Matrix design = fit.Design(rows);
  fit.weights = Eigen::VectorXd::Zero(design.cols());
  Eigen::VectorXd ridge = Eigen::VectorXd::Constant(design.cols(), kRidge);
  ridge(design.cols() - 1) = 0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Eigen::ArrayXd p = 1 / (1 + (-(design * fit.weights).array()).exp());
    const Eigen::VectorXd gradient =
        design.transpose() * (truth.array() - p).matrix() - ridge.cwiseProduct(fit.weights);
    Eigen::MatrixXd curvature =
        design.transpose() * ((p * (1 - p)).max(1e-12).matrix().asDiagonal() * design);
    curvature.diagonal() += ridge;
    const Eigen::VectorXd change = curvature.ldlt().solve(gradient);
    fit.weights += change;
    if (change.cwiseAbs().maxCoeff() < 1e-10) break;
  }
  return fit;
}

}  // namespace

ClassifierTest JudgeHits(int64_t hits, int64_t trials, double chance) {
  ClassifierTest test = {.hits = hits, .trials = trials, .chance = chance};
  test.accuracy = static_cast<double>(hits) / static_cast<double>(trials);
  test.distance = std::max(0.0, 1 - (1 - test.accuracy) / (1 - chance));
  test.p_value = BinomialTail(hits, trials, chance);
  return test;
}

ClassifierTest ClassifierTwoSampleTest(const Rows& reference, const Rows& current,
                                       const ClassifierOptions& options) {
  if (std::min(reference.num_rows(), current.num_rows()) < 4) return {};
  const Window x = MakeWindow(reference, options, "classifier reference");
  const Window y = MakeWindow(current, options, "classifier current");
  Matrix train(x.num_train + y.num_train, reference.num_columns);
  train << x.rows.topRows(x.num_train), y.rows.topRows(y.num_train);
  Eigen::VectorXd truth = Eigen::VectorXd::Zero(train.rows());
  truth.tail(y.num_train).setOnes();
  const Regression fit = Fit(train, truth);

  const Eigen::VectorXd low = fit.Scores(x.rows.bottomRows(x.rows.rows() - x.num_train));
  const Eigen::VectorXd high = fit.Scores(y.rows.bottomRows(y.rows.rows() - y.num_train));
  const int64_t trials = low.size() + high.size();
  const double chance =
      static_cast<double>(std::max(low.size(), high.size())) / static_cast<double>(trials);
  ClassifierTest test =
      JudgeHits((low.array() <= 0).count() + (high.array() > 0).count(), trials, chance);
  const MannWhitney ranks =
      MannWhitneyTest({low.data(), static_cast<size_t>(low.size())},
                      {high.data(), static_cast<size_t>(high.size())}, Alternative::kGreater);
  test.roc_auc = ranks.roc_auc;
  test.rank_p_value = ranks.p_value;
  return test;
}

}  // namespace tidemill::supervisor::statistics

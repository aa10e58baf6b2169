// Bayesian linear regression with an unknown variance of the noise.
#pragma once

#include <array>
#include <cstddef>

#include "Eigen/Core"
#include "supervisor/statistics/forecasts/expected_regret.h"

namespace tidemill::supervisor::statistics {

// y = w x + noise. The prior of the weights w, given the variance v of the noise, is normal with
// mean `mean` and covariance v / `precision`, each weight independently; the prior of v is the
// inverse gamma distribution of `shape` and `scale`. Both are conjugate (Gelman et al., Bayesian
// Data Analysis, section 14.2). Adding costs O(d^2), fitting O(d^3). Thread-compatible.
template <int kWidth>
class BayesianRegression {
 public:
  using Vector = Eigen::Matrix<double, kWidth, 1>;
  struct Prior {
    Vector mean = Vector::Zero();
    Vector precision = Vector::Ones();
    double shape = 1;
    double scale = 0.1;
  };

  explicit BayesianRegression(const Prior& prior);

  void Add(const Vector& x, double y);
  // Fits the model to the added rows. Call it before Predict().
  void Fit();

  const Vector& weights() const { return weights_; }
  // Returns the mean and the scale of the prediction of y at x. It is a Student distribution whose
  // squared scale is `variance`; with many rows, the variance.
  NormalBelief Predict(const Vector& x) const;

 private:
  using Matrix = Eigen::Matrix<double, kWidth, kWidth>;

  Matrix precision_;
  Vector moment_;  // The precision of the prior times its mean, and the sum of x y.
  double square_;  // The sum of squares of y.
  double shape_;
  double scale_;  // The scale of the prior.
  Vector weights_;
  Matrix covariance_;  // The covariance of the weights, without the variance of the noise.
  double noise_;       // The variance of the noise.
};

}  // namespace tidemill::supervisor::statistics

#include "Eigen/Cholesky"

namespace tidemill::supervisor::statistics {

template <int kWidth>
BayesianRegression<kWidth>::BayesianRegression(const Prior& prior)
    : precision_(prior.precision.asDiagonal()),
      moment_(prior.precision.cwiseProduct(prior.mean)),
      square_(prior.mean.dot(moment_)),
      shape_(prior.shape),
      scale_(prior.scale) {
  Fit();
}

template <int kWidth>
void BayesianRegression<kWidth>::Add(const Vector& x, double y) {
  precision_ += x * x.transpose();
  moment_ += x * y;
  square_ += y * y;
  shape_ += 0.5;
}

template <int kWidth>
void BayesianRegression<kWidth>::Fit() {
  const Eigen::LLT<Matrix> factored(precision_);
  weights_ = factored.solve(moment_);
  covariance_ = factored.solve(Matrix::Identity());
  // The residual sum of squares; rounding may make it negative.
  noise_ = (scale_ + std::max(0.0, square_ - weights_.dot(moment_)) / 2) / shape_;
}

template <int kWidth>
NormalBelief BayesianRegression<kWidth>::Predict(const Vector& x) const {
  return {.mean = x.dot(weights_), .variance = noise_ * (1 + x.dot(covariance_ * x))};
}

}  // namespace tidemill::supervisor::statistics

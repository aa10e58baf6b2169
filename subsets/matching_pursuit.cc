#include "subsets/matching_pursuit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "Eigen/Cholesky"
#include "base/check.h"
#include "subsets/distances.h"
#include "subsets/non_negative_least_squares.h"

namespace tidemill::subsets {
namespace {

constexpr int64_t kProductsAtATime = 256;
// The share of a row's square that must be left for it to be independent of those chosen.
constexpr double kIndependent = 1e-12;

double Dot(std::span<const float> row, const Eigen::VectorXd& vector) {
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= row.size(); i += 4) {
    for (size_t s = 0; s < 4; ++s) sums[s] += row[i + s] * vector[static_cast<Eigen::Index>(i + s)];
  }
  for (; i < row.size(); ++i) sums[0] += row[i] * vector[static_cast<Eigen::Index>(i)];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

class Matcher {
 public:
  Matcher(const Rows& rows, std::span<const double> target, const PursuitOptions& options,
          WorkerPool* pool)
      : rows_(rows),
        options_(options),
        pool_(pool),
        k_(std::min({options.k, rows.num_rows})),
        target_(Eigen::Map<const Eigen::VectorXd>(target.data(), std::ssize(target))),
        length_(target_.norm()),
        residual_(target_),
        is_out_(static_cast<size_t>(rows.num_rows), 0),
        products_(is_out_.size()),
        factor_(Eigen::MatrixXd::Zero(k_, k_)),
        gram_(Eigen::MatrixXd::Zero(k_, k_)),
        with_target_(Eigen::VectorXd::Zero(k_)) {}

  Pursuit Run() {
    while (std::ssize(chosen_) < k_ && residual_.norm() > options_.tolerance * length_) {
      const int64_t row = Best();
      if (row < 0) break;
      is_out_[static_cast<size_t>(row)] = 1;
      if (Append(row)) Fit();
    }
    return Finish();
  }

 private:
  // The row with the greatest product with what is left, or -1 when none points towards it.
  int64_t Best() {
    ForPieces(pool_, rows_.num_rows, kProductsAtATime, [&](int64_t from, int64_t to) {
      for (int64_t row = from; row < to; ++row) {
        products_[static_cast<size_t>(row)] = Dot(rows_.Row(row), residual_);
      }
    });
    int64_t best = -1;
    double greatest = 0;
    for (int64_t row = 0; row < rows_.num_rows; ++row) {
      const auto at = static_cast<size_t>(row);
      if (is_out_[at] != 0 || products_[at] <= greatest) continue;
      greatest = products_[at];
      best = row;
    }
    return best;
  }

  Eigen::VectorXd Column(int64_t row) const {
    const auto values = rows_.Row(row);
    return Eigen::Map<const Eigen::VectorXf>(values.data(), std::ssize(values)).cast<double>();
  }

  // Extends the Cholesky factor of (products of the chosen rows + ridge) by one row; false when
  // that depends linearly on them.
  bool Append(int64_t row) {
    const Eigen::Index size = std::ssize(chosen_);
    const Eigen::VectorXd column = Column(row);
    const double square = column.squaredNorm() + options_.ridge;
    Eigen::VectorXd with_chosen(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      with_chosen[i] = Dot(rows_.Row(chosen_[static_cast<size_t>(i)]), column);
    }
    const Eigen::VectorXd solved =
        factor_.topLeftCorner(size, size).triangularView<Eigen::Lower>().solve(with_chosen);
    const double left = square - solved.squaredNorm();
    if (!(left > kIndependent * square)) return false;
    factor_.row(size).head(size) = solved.transpose();
    factor_(size, size) = std::sqrt(left);
    gram_.row(size).head(size) = with_chosen.transpose();
    gram_.col(size).head(size) = with_chosen;
    gram_(size, size) = square;
    with_target_[size] = column.dot(target_);
    chosen_.push_back(row);
    return true;
  }

  // Least squares over the chosen rows.
  void Fit() {
    const Eigen::Index size = std::ssize(chosen_);
    const auto factor = factor_.topLeftCorner(size, size).triangularView<Eigen::Lower>();
    Eigen::VectorXd weights = factor.solve(with_target_.head(size));
    factor.transpose().solveInPlace(weights);
    SetResidual(weights);
  }

  void SetResidual(const Eigen::VectorXd& weights) {
    residual_ = target_;
    for (Eigen::Index i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      residual_ -= weights[i] * Column(chosen_[static_cast<size_t>(i)]);
    }
  }

  Pursuit Finish() {
    const Eigen::Index size = std::ssize(chosen_);
    const Eigen::VectorXd weights =
        SolveNonNegativeByProducts(gram_.topLeftCorner(size, size), with_target_.head(size));
    SetResidual(weights);
    Pursuit pursuit{.rows = {}, .weights = {}, .residual = residual_.norm()};
    for (Eigen::Index i = 0; i < size; ++i) {
      if (!(weights[i] > 0)) continue;
      pursuit.rows.push_back(chosen_[static_cast<size_t>(i)]);
      pursuit.weights.push_back(weights[i]);
    }
    return pursuit;
  }

  const Rows rows_;
  const PursuitOptions options_;
  WorkerPool* const pool_;
  const int64_t k_;
  const Eigen::VectorXd target_;
  const double length_;
  Eigen::VectorXd residual_;
  std::vector<uint8_t> is_out_;  // Chosen, or passed over.
  std::vector<double> products_;
  std::vector<int64_t> chosen_;
  Eigen::MatrixXd factor_;
  Eigen::MatrixXd gram_;
  Eigen::VectorXd with_target_;
};

}  // namespace

Pursuit MatchTarget(const Rows& rows, std::span<const double> target, const PursuitOptions& options,
                    WorkerPool* pool) {
  TIDEMILL_CHECK(std::ssize(target) == rows.width);
  return Matcher(rows, target, options, pool).Run();
}

std::vector<double> MeanRow(const Rows& rows) {
  std::vector<double> mean(static_cast<size_t>(rows.width), 0.0);
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    const auto values = rows.Row(row);
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += values[i];
  }
  for (double& value : mean) value /= static_cast<double>(std::max<int64_t>(rows.num_rows, 1));
  return mean;
}

}  // namespace tidemill::subsets

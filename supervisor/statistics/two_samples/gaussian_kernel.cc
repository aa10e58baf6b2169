#include "supervisor/statistics/two_samples/gaussian_kernel.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemill::supervisor::statistics {
namespace {

// How far a factor may be from a value of the kernel.
constexpr double kTolerance = 1e-9;

}  // namespace

GaussianKernel::GaussianKernel(const Rows& rows, std::vector<double> widths)
    : widths_(std::move(widths)) {
  const Eigen::Map<const Matrix> view(rows.values.data(), rows.num_rows(), rows.num_columns);
  rows_ = view.rowwise() - view.colwise().mean();
  norms_ = rows_.rowwise().squaredNorm();
}

GaussianKernel::Matrix GaussianKernel::Block(int64_t row, int64_t num_rows, int64_t column,
                                             int64_t num_columns) const {
  Matrix squares =
      -2 * (rows_.middleRows(row, num_rows) * rows_.middleRows(column, num_columns).transpose());
  squares.colwise() += norms_.segment(row, num_rows);
  squares.rowwise() += norms_.segment(column, num_columns).transpose();
  squares = squares.cwiseMax(0.0);
  Matrix kernel = Matrix::Zero(num_rows, num_columns);
  for (const double width : widths_) {
    kernel.array() += (squares.array() * (-0.5 / (width * width))).exp();
  }
  return kernel / static_cast<double>(widths_.size());
}

std::optional<GaussianKernel::Matrix> GaussianKernel::Factor(int64_t most_columns) const {
  // Column after column in memory while it is made.
  Eigen::MatrixXd factor(num_rows(), most_columns);
  Eigen::VectorXd left = Eigen::VectorXd::Ones(num_rows());
  for (Eigen::Index made = 0; made <= most_columns; ++made) {
    Eigen::Index worst = 0;
    if (left.maxCoeff(&worst) <= kTolerance) return Matrix(factor.leftCols(made));
    if (made == most_columns) break;
    Eigen::VectorXd column = Block(0, num_rows(), worst, 1);
    column.noalias() -= factor.leftCols(made) * factor.row(worst).head(made).transpose();
    column /= std::sqrt(left(worst));
    left -= column.cwiseAbs2();
    left(worst) = 0;
    factor.col(made) = column;
  }
  return std::nullopt;
}

}  // namespace tidemill::supervisor::statistics

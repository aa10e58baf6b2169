// The kernel of maximum mean discrepancy: k(a, b) = exp(-|a - b|^2 / (2 width^2)). With several
// widths, it is their average.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "Eigen/Core"
#include "supervisor/statistics/rows.h"

namespace tidemill::supervisor::statistics {

// The kernel matrix of some rows, computed on demand. It takes memory only for the rows. Immutable,
// so thread-safe.
class GaussianKernel {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // Needs at least one width.
  GaussianKernel(const Rows& rows, std::vector<double> widths);

  int64_t num_rows() const { return rows_.rows(); }
  // Returns the values of `num_rows` rows from `row` on with `num_columns` rows from `column` on.
  Matrix Block(int64_t row, int64_t num_rows, int64_t column, int64_t num_columns) const;

  // Returns L with a row for each row, so that each value of the kernel equals that of L L' to
  // within 1e-9: a Cholesky factor that takes the row it fits worst as the next one (Fine and
  // Scheinberg, "Efficient SVM training using low-rank kernel representations", JMLR 2001). Rows
  // with few different values, and rows of one or two numbers, have a narrow one. std::nullopt when
  // L would need more than `most_columns`. O(rows most_columns^2) time.
  std::optional<Matrix> Factor(int64_t most_columns) const;

 private:
  std::vector<double> widths_;
  // About their mean, which does not change distances and makes them exact where the rows are far
  // from 0.
  Matrix rows_;
  Eigen::VectorXd norms_;
};

}  // namespace tidemill::supervisor::statistics

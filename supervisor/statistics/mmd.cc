#include "supervisor/statistics/mmd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "Eigen/Core"
#include "supervisor/statistics/distributions.h"

namespace tidemill::supervisor::statistics {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixView = Eigen::Map<const Matrix>;

constexpr Eigen::Index kBlock = 256;

// Rows about their mean, which leaves distances as they are and makes them exact where the rows lie
// far from 0.
struct Centred {
  Matrix rows;
  Eigen::VectorXd norms;
};

Centred Centre(const Rows& rows) {
  const MatrixView view(rows.values.data(), rows.num_rows(), rows.num_columns);
  Centred centred;
  centred.rows = view.rowwise() - view.colwise().mean();
  centred.norms = centred.rows.rowwise().squaredNorm();
  return centred;
}

// Kernel values of two stretches of rows.
Matrix KernelBlock(const Centred& centred, std::pair<Eigen::Index, Eigen::Index> rows,
                   std::pair<Eigen::Index, Eigen::Index> columns, std::span<const double> widths) {
  Matrix squares = -2 * (centred.rows.middleRows(rows.first, rows.second) *
                         centred.rows.middleRows(columns.first, columns.second).transpose());
  squares.colwise() += centred.norms.segment(rows.first, rows.second);
  squares.rowwise() += centred.norms.segment(columns.first, columns.second).transpose();
  squares = squares.cwiseMax(0.0);
  Matrix kernel = Matrix::Zero(rows.second, columns.second);
  for (const double width : widths) {
    kernel.array() += (squares.array() * (-0.5 / (width * width))).exp();
  }
  return kernel / static_cast<double>(widths.size());
}

// Sums over the kernel matrix without its diagonal, for each of many splits of the rows.
struct KernelSums {
  Eigen::VectorXd inside;  // Over pairs within the first part.
  Eigen::VectorXd from;    // Over pairs with a row of the first part and any other.
  double all = 0;
};

// `first` has a column for each split, the observed one first, with 1 for rows of the first part.
KernelSums SumKernel(const Centred& centred, std::span<const double> widths, const Matrix& first) {
  const Eigen::Index size = centred.rows.rows();
  KernelSums sums = {.inside = Eigen::VectorXd::Zero(first.cols()), .from = {}, .all = 0};
  Eigen::VectorXd degrees = Eigen::VectorXd::Zero(size);
  // By itself, so that its sums have the same bits however many others there are.
  const Eigen::VectorXd observed = first.col(0);
  const Eigen::Index num_others = first.cols() - 1;
  for (Eigen::Index i = 0; i < size; i += kBlock) {
    const Eigen::Index rows = std::min(kBlock, size - i);
    for (Eigen::Index j = i; j < size; j += kBlock) {
      const Eigen::Index columns = std::min(kBlock, size - j);
      Matrix kernel = KernelBlock(centred, {i, rows}, {j, columns}, widths);
      if (i == j) kernel.diagonal().setZero();
      // A block beside the diagonal stands for its mirror image as well.
      const double times = i == j ? 1 : 2;
      sums.inside(0) +=
          times * observed.segment(i, rows).dot(kernel * observed.segment(j, columns));
      const Matrix product = kernel * first.block(j, 1, columns, num_others);
      sums.inside.tail(num_others) +=
          times *
          product.cwiseProduct(first.block(i, 1, rows, num_others)).colwise().sum().transpose();
      degrees.segment(i, rows) += kernel.rowwise().sum();
      if (i != j) degrees.segment(j, columns) += kernel.colwise().sum().transpose();
    }
  }
  sums.from = first.transpose() * degrees;
  sums.from(0) = observed.dot(degrees);
  sums.all = degrees.sum();
  return sums;
}

// A column with the observed split, and one for each of the others.
Matrix MarkFirst(int64_t n, int64_t m, const Splits& splits) {
  Matrix first = Matrix::Zero(n + m, splits.num_splits() + 1);
  first.col(0).head(n).setOnes();
  for (int64_t index = 0; index < splits.num_splits(); ++index) {
    const std::vector<int64_t> rows = splits.At(index);
    for (int64_t i = 0; i < n; ++i) first(rows[static_cast<size_t>(i)], index + 1) = 1;
  }
  return first;
}

// The lower middle one of the squared distances, of which `num_zeros` are of rows to themselves.
double WidthOf(std::vector<double>& squares, size_t num_zeros) {
  if (squares.size() <= num_zeros) return 1;
  const size_t middle = num_zeros + (squares.size() - num_zeros + 1) / 2 - 1;
  std::nth_element(squares.begin(), squares.begin() + static_cast<int64_t>(middle), squares.end());
  double square = squares[middle];
  if (square <= 0) square = *std::max_element(squares.begin(), squares.end());
  return square > 0 ? std::sqrt(square / 2) : 1;
}

std::vector<double> SquaredDistances(const Rows& left, const Rows& right) {
  std::vector<double> squares;
  squares.reserve(static_cast<size_t>(left.num_rows() * right.num_rows()));
  for (int64_t i = 0; i < left.num_rows(); ++i) {
    const Eigen::Map<const Eigen::VectorXd> row(left[i].data(), left.num_columns);
    for (int64_t j = 0; j < right.num_rows(); ++j) {
      const Eigen::Map<const Eigen::VectorXd> other(right[j].data(), right.num_columns);
      squares.push_back((row - other).squaredNorm());
    }
  }
  return squares;
}

constexpr int64_t kMedianRows = 1000;

std::vector<double> WidthsFor(const Rows& reference, const Rows& current,
                              const MmdOptions& options) {
  if (!options.widths.empty()) return options.widths;
  const std::vector<double> pooled = Pool(reference, current);
  return {MedianWidth({pooled, reference.num_columns}, options.seed)};
}

double Kernel(std::span<const double> left, std::span<const double> right,
              std::span<const double> widths) {
  double square = 0;
  for (size_t i = 0; i < left.size(); ++i) square += (left[i] - right[i]) * (left[i] - right[i]);
  double sum = 0;
  for (const double width : widths) sum += std::exp(-square / (2 * width * width));
  return sum / static_cast<double>(widths.size());
}

}  // namespace

double MedianWidth(const Rows& rows, int64_t seed) {
  const std::vector<double> drawn =
      Subsample(rows, kMedianRows, {.seed = seed, .purpose = "median width"});
  const Rows view = {drawn, rows.num_columns};
  std::vector<double> squares = SquaredDistances(view, view);
  return WidthOf(squares, static_cast<size_t>(view.num_rows()));
}

double MedianWidth(const Rows& reference, const Rows& current, int64_t seed) {
  const RandomKey key = {.seed = seed, .purpose = "median width"};
  const std::vector<double> x = Subsample(reference, kMedianRows, key);
  const std::vector<double> y = Subsample(current, kMedianRows, key);
  std::vector<double> squares =
      SquaredDistances({x, reference.num_columns}, {y, current.num_columns});
  return WidthOf(squares, 0);
}

Mmd MmdTest(const Rows& reference, const Rows& current, const MmdOptions& options) {
  const std::vector<double> x =
      Subsample(reference, options.most_rows, {.seed = options.seed, .purpose = "mmd reference"});
  const std::vector<double> y =
      Subsample(current, options.most_rows, {.seed = options.seed, .purpose = "mmd current"});
  const Rows left = {x, reference.num_columns}, right = {y, current.num_columns};
  const int64_t n = left.num_rows(), m = right.num_rows();
  Mmd result = {.widths = WidthsFor(left, right, options)};
  const std::vector<double> pooled = Pool(left, right);
  const Splits splits(n, m, options.permutations, options.seed);
  const KernelSums sums =
      SumKernel(Centre({pooled, left.num_columns}), result.widths, MarkFirst(n, m, splits));

  const auto xs = static_cast<double>(n), ys = static_cast<double>(m);
  // Over pairs of one row of each part, and over pairs within the second part.
  const Eigen::ArrayXd across = sums.from.array() - sums.inside.array();
  const Eigen::ArrayXd outside = sums.all - 2 * sums.from.array() + sums.inside.array();
  const Eigen::ArrayXd inside = sums.inside.array();
  const Eigen::ArrayXd squared =
      inside / (xs * (xs - 1)) + outside / (ys * (ys - 1)) - 2 * across / (xs * ys);
  result.squared = squared(0);
  // The diagonal holds ones.
  result.squared_biased =
      (inside(0) + xs) / (xs * xs) + (outside(0) + ys) / (ys * ys) - 2 * across(0) / (xs * ys);
  result.permutation =
      PermutationPOf(squared(0), {squared.data() + 1, static_cast<size_t>(splits.num_splits())});
  return result;
}

KernelOfRows::KernelOfRows(const Rows& rows, std::vector<double> widths, int64_t seed)
    : num_rows_(rows.num_rows()), kernel_(static_cast<size_t>(num_rows_ * num_rows_)) {
  if (widths.empty()) widths = {MedianWidth(rows, seed)};
  const Centred centred = Centre(rows);
  Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> all(
      kernel_.data(), num_rows_, num_rows_);
  for (Eigen::Index i = 0; i < num_rows_; i += kBlock) {
    const Eigen::Index height = std::min<Eigen::Index>(kBlock, num_rows_ - i);
    for (Eigen::Index j = i; j < num_rows_; j += kBlock) {
      const Eigen::Index width = std::min<Eigen::Index>(kBlock, num_rows_ - j);
      const Matrix kernel = KernelBlock(centred, {i, height}, {j, width}, widths);
      all.block(i, j, height, width) = kernel.cast<float>();
      all.block(j, i, width, height) = kernel.transpose().cast<float>();
    }
  }
}

double KernelOfRows::SumWithin(std::span<const int64_t> numbers) const {
  double sum = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float* row = kernel_.data() + numbers[i] * num_rows_;
    double of_row = 0;
    for (size_t j = i + 1; j < numbers.size(); ++j) of_row += row[numbers[j]];
    sum += of_row;
  }
  return 2 * sum;
}

double KernelOfRows::Squared(std::span<const int64_t> reference,
                             std::span<const int64_t> current) const {
  double across = 0;
  for (const int64_t left : reference) {
    const float* row = kernel_.data() + left * num_rows_;
    double of_row = 0;
    for (const int64_t right : current) of_row += row[right];
    across += of_row;
  }
  const auto xs = static_cast<double>(reference.size()), ys = static_cast<double>(current.size());
  return SumWithin(reference) / (xs * (xs - 1)) + SumWithin(current) / (ys * (ys - 1)) -
         2 * across / (xs * ys);
}

LinearMmd LinearMmdTest(const Rows& reference, const Rows& current, const MmdOptions& options) {
  const std::vector<double> widths = WidthsFor(reference, current, options);
  const int64_t rows = std::min(reference.num_rows(), current.num_rows());
  const auto ordered = [&](const Rows& side, std::string_view purpose) {
    std::vector<int64_t> numbers(static_cast<size_t>(side.num_rows()));
    std::iota(numbers.begin(), numbers.end(), 0);
    DrawFirst(numbers, rows, {.seed = options.seed, .purpose = purpose});
    return numbers;
  };
  const std::vector<int64_t> x = ordered(reference, "linear mmd reference");
  const std::vector<int64_t> y = ordered(current, "linear mmd current");
  LinearMmd result = {.num_terms = rows / 2};
  double squares = 0;
  for (size_t i = 0; i + 1 < static_cast<size_t>(rows); i += 2) {
    const auto x0 = reference[x[i]], x1 = reference[x[i + 1]];
    const auto y0 = current[y[i]], y1 = current[y[i + 1]];
    const double term = Kernel(x0, x1, widths) + Kernel(y0, y1, widths) - Kernel(x0, y1, widths) -
                        Kernel(x1, y0, widths);
    result.squared += term;
    squares += term * term;
  }
  if (result.num_terms == 0) return result;
  const auto terms = static_cast<double>(result.num_terms);
  result.squared /= terms;
  const double variance = squares / terms - result.squared * result.squared;
  if (result.num_terms < 2) return result;
  if (variance <= 0) {
    result.p_value = result.squared > 0 ? 0 : 1;
    return result;
  }
  result.p_value = NormalTail(result.squared / std::sqrt(variance / (terms - 1)));
  return result;
}

}  // namespace tidemill::supervisor::statistics

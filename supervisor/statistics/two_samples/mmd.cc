#include "supervisor/statistics/two_samples/mmd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "Eigen/Core"
#include "supervisor/statistics/distributions.h"
#include "supervisor/statistics/two_samples/gaussian_kernel.h"
#include "supervisor/statistics/two_samples/window_distances.h"

namespace tidemill::supervisor::statistics {
namespace {

constexpr int64_t kBlock = 256;

// The kernel matrix without its diagonal, summed over pairs within and across the parts.
struct KernelSums {
  double within_reference = 0;
  double within_current = 0;
  double across = 0;
};

// The first `n` rows are the reference.
KernelSums SumKernel(const GaussianKernel& kernel, int64_t n, const std::stop_token& stop) {
  KernelSums sums;
  // Blocks within one part, or between the two.
  const auto add = [&](std::pair<int64_t, int64_t> rows, std::pair<int64_t, int64_t> columns,
                       double& sum) {
    for (int64_t i = rows.first; i < rows.second; i += kBlock) {
      const int64_t height = std::min(kBlock, rows.second - i);
      const bool same = rows == columns;
      for (int64_t j = same ? i : columns.first; j < columns.second; j += kBlock) {
        if (stop.stop_requested()) return;
        GaussianKernel::Matrix block =
            kernel.Block(i, height, j, std::min(kBlock, columns.second - j));
        if (same && i == j) block.diagonal().setZero();
        // A block beside the diagonal stands for its mirror image as well.
        sum += (same && i != j ? 2 : 1) * block.sum();
      }
    }
  };
  const std::pair<int64_t, int64_t> reference = {0, n}, current = {n, kernel.num_rows()};
  add(reference, reference, sums.within_reference);
  add(current, current, sums.within_current);
  add(reference, current, sums.across);
  return sums;
}

// The distances of the observed split and of others, which are computed alike, so that equal ones
// count as equal.
PermutationP Permute(const GaussianKernel& kernel, int64_t n, const MmdOptions& options) {
  const int64_t m = kernel.num_rows() - n;
  const Splits splits(n, m, options.permutations, options.seed);
  WindowDistances distances(
      kernel, {.count = splits.num_splits() + 1, .of_all_rows = true, .stop = options.stop});
  std::vector<int64_t> rows(static_cast<size_t>(n + m));
  std::iota(rows.begin(), rows.end(), 0);
  for (int64_t index = 0; index <= splits.num_splits(); ++index) {
    if (index > 0) rows = splits.At(index - 1);
    const std::span<const int64_t> all = rows;
    distances.Add(all.first(static_cast<size_t>(n)), all.subspan(static_cast<size_t>(n)));
    if (options.stop.stop_requested()) return {};
  }
  const std::vector<double> squared = std::move(distances).Finish();
  return PermutationPOf(squared.front(), std::span(squared).subspan(1));
}

// The width of the kernel, by the lower median of the squared distances without the `num_zeros`
// distances of rows to themselves.
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
  const GaussianKernel kernel({pooled, left.num_columns}, result.widths);
  const KernelSums sums = SumKernel(kernel, n, options.stop);
  const auto xs = static_cast<double>(n), ys = static_cast<double>(m);
  result.squared = sums.within_reference / (xs * (xs - 1)) + sums.within_current / (ys * (ys - 1)) -
                   2 * sums.across / (xs * ys);
  // The diagonal holds ones.
  result.squared_biased = (sums.within_reference + xs) / (xs * xs) +
                          (sums.within_current + ys) / (ys * ys) - 2 * sums.across / (xs * ys);
  if (options.permutations > 0) result.permutation = Permute(kernel, n, options);
  return result;
}

absl::StatusOr<std::vector<double>> SquaredOfDraws(const Rows& rows, const NullScores& wanted,
                                                   std::vector<double> widths, int64_t seed) {
  if (widths.empty()) widths = {MedianWidth(rows, seed)};
  const GaussianKernel kernel(rows, std::move(widths));
  WindowDistances distances(
      kernel, {.count = wanted.count,
               .of_all_rows = wanted.reference_rows + wanted.current_rows == rows.num_rows(),
               .stop = wanted.stop});
  RETURN_IF_ERROR(DrawWindows(
      rows.num_rows(), wanted,
      [&](const auto& reference, const auto& current) { distances.Add(reference, current); }));
  return std::move(distances).Finish();
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

#include "supervisor/statistics/two_samples/window_distances.h"

#include <algorithm>

namespace tidemill::supervisor::statistics {
namespace {

constexpr int64_t kSetsBytes = int64_t{64} << 20;

// Sums over ordered pairs of different rows.
struct Sums {
  double reference = 0;
  double current = 0;
  double across = 0;
};

double Squared(const Sums& sums, double n, double m) {
  return sums.reference / (n * (n - 1)) + sums.current / (m * (m - 1)) - 2 * sums.across / (n * m);
}

double FromWhole(int64_t sum) {
  return static_cast<double>(sum) / static_cast<double>(WholeBlock::kOne);
}

}  // namespace

WindowDistances::WindowDistances(const GaussianKernel& kernel, Options options)
    : kernel_(kernel), options_(std::move(options)) {
  // With a wider one, a window takes longer than its share of the whole matrix does.
  factor_ = kernel.Factor(std::min<int64_t>(kernel.num_rows() / 16, 128));
  if (factor_) {
    factor_norms_ = factor_->rowwise().squaredNorm();
    return;
  }
  const int64_t most = kSetsBytes / (SetsOfPair() * 2 * (kernel.num_rows() + 4));
  sets_ = RowSets(kernel.num_rows(),
                  SetsOfPair() * std::max<int64_t>(1, std::min(most, options_.count)));
}

void WindowDistances::Add(std::span<const int64_t> reference, std::span<const int64_t> current) {
  if (options_.stop.stop_requested()) return;
  if (factor_) {
    AddByFactor(reference, current);
  } else {
    AddBySets(reference, current);
  }
}

void WindowDistances::AddByFactor(std::span<const int64_t> reference,
                                  std::span<const int64_t> current) {
  Eigen::RowVectorXd left = Eigen::RowVectorXd::Zero(factor_->cols()), right = left;
  Sums sums;
  for (const int64_t row : reference) {
    left += factor_->row(row);
    sums.reference -= factor_norms_(row);
  }
  for (const int64_t row : current) {
    right += factor_->row(row);
    sums.current -= factor_norms_(row);
  }
  sums.reference += left.squaredNorm();
  sums.current += right.squaredNorm();
  sums.across = left.dot(right);
  distances_.push_back(
      Squared(sums, static_cast<double>(reference.size()), static_cast<double>(current.size())));
}

void WindowDistances::AddBySets(std::span<const int64_t> reference,
                                std::span<const int64_t> current) {
  const int64_t set = SetsOfPair() * static_cast<int64_t>(waiting_.size());
  for (const int64_t row : reference) sets_.Add(row, set);
  if (!options_.of_all_rows) {
    for (const int64_t row : current) sets_.Add(row, set + 1);
    for (const int64_t row : reference) sets_.Add(row, set + 2);
    for (const int64_t row : current) sets_.Add(row, set + 2);
  }
  waiting_.emplace_back(reference.size(), current.size());
  if (set + SetsOfPair() == sets_.num_sets()) Flush();
}

void WindowDistances::SumMatrix(std::span<int64_t> within, std::span<int64_t> of_rows) const {
  constexpr int64_t kSide = WholeBlock::kSide;
  const int64_t size = kernel_.num_rows();
  WholeBlock block;
  for (int64_t i = 0; i < size; i += kSide) {
    const int64_t rows = std::min(kSide, size - i);
    for (int64_t j = i; j < size && !options_.stop.stop_requested(); j += kSide) {
      GaussianKernel::Matrix values = kernel_.Block(i, rows, j, std::min(kSide, size - j));
      if (i == j) values.diagonal().setZero();
      block.Set(values);
      // A block beside the diagonal stands for its mirror image as well.
      block.AddWithin(i, j, i == j ? 1 : 2, sets_, within);
      block.AddRowSums(of_rows.subspan(static_cast<size_t>(i)));
      if (i != j) block.AddColumnSums(of_rows.subspan(static_cast<size_t>(j)));
    }
  }
}

void WindowDistances::Flush() {
  std::vector<int64_t> within(static_cast<size_t>(sets_.num_sets()));
  std::vector<int64_t> of_rows(static_cast<size_t>(kernel_.num_rows()));
  SumMatrix(within, of_rows);
  int64_t all = 0;
  for (const int64_t sum : of_rows) all += sum;
  for (size_t pair = 0; pair < waiting_.size(); ++pair) {
    const size_t set = pair * static_cast<size_t>(SetsOfPair());
    const int64_t reference = within[set];
    int64_t current = 0, twice_across = 0;
    if (options_.of_all_rows) {
      int64_t from = 0;
      for (size_t row = 0; row < of_rows.size(); ++row) {
        if (sets_.Has(static_cast<int64_t>(row), static_cast<int64_t>(set))) from += of_rows[row];
      }
      current = all - 2 * from + reference;
      twice_across = 2 * (from - reference);
    } else {
      current = within[set + 1];
      twice_across = within[set + 2] - reference - current;
    }
    const auto& [n, m] = waiting_[pair];
    distances_.push_back(Squared({.reference = FromWhole(reference),
                                  .current = FromWhole(current),
                                  .across = FromWhole(twice_across) / 2},
                                 n, m));
  }
  waiting_.clear();
  sets_.Clear();
}

std::vector<double> WindowDistances::Finish() && {
  if (!waiting_.empty()) Flush();
  return std::move(distances_);
}

}  // namespace tidemill::supervisor::statistics

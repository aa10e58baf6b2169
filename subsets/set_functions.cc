#include "subsets/set_functions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace tidemill::subsets {
namespace {

constexpr double kRidge = 1e-12;
// Kernels are of floats: what is left of a row below this share of itself is their rounding.
constexpr double kRounding = 1e-6;
constexpr int64_t kGainsInPiece = 16;
constexpr int64_t kCandidatesInPiece = 4096;
constexpr size_t kSums = 8;
constexpr size_t kValuesInRun = 512;

double Squared(double value) { return value * value; }

// Sum over i of count(i) max(0, similarity - best). Each term, and so each rounded sum, can only
// fall as `best` rises.
template <typename Count>
double Improvement(std::span<const float> similarity, std::span<const float> best, Count&& count) {
  double total = 0;
  for (size_t begin = 0; begin < best.size(); begin += kValuesInRun) {
    const size_t end = std::min(begin + kValuesInRun, best.size());
    float sums[kSums] = {};
    size_t i = begin;
    for (; i + kSums <= end; i += kSums) {
      for (size_t s = 0; s < kSums; ++s) {
        const float more = similarity[i + s] - best[i + s];
        sums[s] += count(i + s) * (more > 0 ? more : 0);
      }
    }
    for (; i < end; ++i) sums[0] += count(i) * std::max(0.0F, similarity[i] - best[i]);
    for (const float sum : sums) total += sum;
  }
  return total;
}

double Sum(std::span<const float> row) { return std::accumulate(row.begin(), row.end(), 0.0); }

}  // namespace

FacilityLocation::FacilityLocation(const PairMatrix& similarity, WorkerPool* pool,
                                   std::span<const float> counts)
    : similarity_(similarity),
      pool_(pool),
      counts_(counts),
      best_(static_cast<size_t>(similarity.size()), 0.0F),
      served_(static_cast<size_t>(similarity.size()), -1) {
  TIDEMILL_CHECK(counts.empty() || std::ssize(counts) == similarity.size());
}

void FacilityLocation::Gains(std::span<const int64_t> rows, std::span<double> gains) const {
  TIDEMILL_CHECK(rows.size() == gains.size());
  ForPieces(pool_, std::ssize(rows), kGainsInPiece, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      const auto at = static_cast<size_t>(i);
      const auto similarity = similarity_.Row(rows[at]);
      gains[at] = counts_.empty()
                      ? Improvement(similarity, best_, [](size_t) { return 1.0F; })
                      : Improvement(similarity, best_, [this](size_t j) { return counts_[j]; });
    }
  });
}

void FacilityLocation::Add(int64_t row) {
  TIDEMILL_CHECK(row >= 0 && row < size());
  const auto similarity = similarity_.Row(row);
  for (size_t i = 0; i < best_.size(); ++i) {
    if (served_[i] >= 0 && similarity[i] <= best_[i]) continue;
    best_[i] = similarity[i];
    served_[i] = row;
  }
  served_[static_cast<size_t>(row)] = row;
}

std::vector<int64_t> FacilityLocation::NumNearest() const {
  std::vector<int64_t> counts(served_.size(), 0);
  for (size_t i = 0; i < served_.size(); ++i) {
    if (served_[i] < 0) continue;
    counts[static_cast<size_t>(served_[i])] +=
        counts_.empty() ? 1 : static_cast<int64_t>(std::llround(counts_[i]));
  }
  return counts;
}

GraphCut::GraphCut(const PairMatrix& similarity, double lambda)
    : similarity_(similarity), lambda_(lambda), to_chosen_(static_cast<size_t>(similarity.size())) {
  own_.reserve(to_chosen_.size());
  for (int64_t row = 0; row < size(); ++row) {
    const auto values = similarity.Row(row);
    own_.push_back(Sum(values) - lambda * values[static_cast<size_t>(row)]);
  }
}

void GraphCut::Gains(std::span<const int64_t> rows, std::span<double> gains) const {
  TIDEMILL_CHECK(rows.size() == gains.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i]);
    gains[i] = own_[row] - 2 * lambda_ * to_chosen_[row];
  }
}

void GraphCut::Add(int64_t row) {
  TIDEMILL_CHECK(row >= 0 && row < size());
  const auto values = similarity_.Row(row);
  for (size_t i = 0; i < to_chosen_.size(); ++i) to_chosen_[i] += values[i];
}

LogDeterminant::LogDeterminant(const PairMatrix& kernel, WorkerPool* pool)
    : kernel_(kernel), pool_(pool) {
  left_.reserve(static_cast<size_t>(size()));
  for (int64_t row = 0; row < size(); ++row) {
    left_.push_back(kernel.Row(row)[static_cast<size_t>(row)] + kRidge);
  }
}

void LogDeterminant::Gains(std::span<const int64_t> rows, std::span<double> gains) const {
  TIDEMILL_CHECK(rows.size() == gains.size());
  for (size_t i = 0; i < rows.size(); ++i) gains[i] = std::log(LeftOf(rows[i]));
}

double LogDeterminant::LeftOf(int64_t row) const {
  const auto at = static_cast<size_t>(row);
  const double left = left_[at];
  return left > kRounding * kernel_.Row(row)[at] ? std::max(left, kRidge) : kRidge;
}

void LogDeterminant::Add(int64_t row) {
  TIDEMILL_CHECK(row >= 0 && row < size());
  const auto chosen = static_cast<size_t>(row);
  const auto kernel = kernel_.Row(row);
  // The chosen rows explain all of it: nothing more is explained by it.
  if (LeftOf(row) <= kRidge) return;
  const double scale = 1 / std::sqrt(left_[chosen]);
  std::vector<double> factor(kernel.begin(), kernel.end());
  ForPieces(pool_, size(), kCandidatesInPiece, [&](int64_t from, int64_t to) {
    const auto begin = static_cast<size_t>(from);
    const auto end = static_cast<size_t>(to);
    for (const std::vector<double>& earlier : factors_) {
      const double own = earlier[chosen];
      for (size_t i = begin; i < end; ++i) factor[i] -= own * earlier[i];
    }
    for (size_t i = begin; i < end; ++i) {
      factor[i] *= scale;
      left_[i] -= Squared(factor[i]);
    }
  });
  factors_.push_back(std::move(factor));
}

}  // namespace tidemill::subsets

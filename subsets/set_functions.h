// Set functions for Maximise() of greedy.h. Their gains are what f(S + row) - f(S) is, computed
// such that rounding never makes one increase as S grows. What they are made of is finite and
// outlives them; `pool` may be nullptr, and no result depends on it. Thread-compatible.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/threads/worker_pool.h"
#include "subsets/distances.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

// f(S) = sum over all rows i of count(i) x max over j in S of similarity(i, j), which is at least
// 0. Monotone and submodular. Counts say of how many samples a row is one; none: 1 each.
class FacilityLocation {
 public:
  explicit FacilityLocation(const PairMatrix& similarity, WorkerPool* pool = nullptr,
                            std::span<const float> counts = {});
  int64_t size() const { return similarity_.size(); }
  void Gains(std::span<const int64_t> rows, std::span<double> gains) const;
  void Add(int64_t row);
  // For each row the count of rows, itself included, that it is the most similar chosen one of; of
  // equally similar ones the one chosen first, but a chosen row is its own. They add up to size(),
  // or to the sum of the counts.
  std::vector<int64_t> NumNearest() const;

 private:
  const PairMatrix& similarity_;
  WorkerPool* const pool_;
  const std::span<const float> counts_;
  std::vector<float> best_;      // Similarity to the most similar chosen row.
  std::vector<int64_t> served_;  // By which row; -1 while none is chosen.
};

// f(S) = sum over all i and j in S of s(i, j) - lambda sum over i, j in S of s(i, j), the diagonal
// included (the convention of submodlib). s is at least 0. Submodular; monotone for lambda <= 1/2.
class GraphCut {
 public:
  GraphCut(const PairMatrix& similarity, double lambda);
  int64_t size() const { return similarity_.size(); }
  void Gains(std::span<const int64_t> rows, std::span<double> gains) const;
  void Add(int64_t row);

 private:
  const PairMatrix& similarity_;
  const double lambda_;
  std::vector<double> own_;        // sum_i s(i, row) - lambda s(row, row).
  std::vector<double> to_chosen_;  // sum over j in S of s(j, row).
};

// f(S) = log det (K_SS + 1e-12 I) of a positive semidefinite kernel K, by a Cholesky factor that
// grows (Chen et al., Fast greedy MAP inference for determinantal point processes, NeurIPS 2018).
// Submodular, not monotone. A row of which the chosen ones explain all but 10^-6, the rounding of
// the kernel's floats, has the gain log 10^-12 and explains nothing more. O(|S| n) numbers.
class LogDeterminant {
 public:
  explicit LogDeterminant(const PairMatrix& kernel, WorkerPool* pool = nullptr);
  int64_t size() const { return kernel_.size(); }
  void Gains(std::span<const int64_t> rows, std::span<double> gains) const;
  void Add(int64_t row);

 private:
  double LeftOf(int64_t row) const;

  const PairMatrix& kernel_;
  WorkerPool* const pool_;
  std::vector<std::vector<double>> factors_;  // Of each chosen row, one number for each row.
  std::vector<double> left_;  // What of K_ii the chosen rows do not explain: exp of the gain.
};

// What FeatureSum does to a sum.
enum class Concave { kSquareRoot, kLog1p, kInverse };  // sqrt(x), log(1 + x), 1 - 1 / (1 + x).

// f(S) = sum over features of weight x concave(sum over S of the feature). Features and weights are
// at least 0. Monotone and submodular.
class FeatureSum {
 public:
  // No weights: 1 each.
  FeatureSum(const Rows& features, Concave concave, std::span<const double> weights = {});
  int64_t size() const { return features_.num_rows; }
  void Gains(std::span<const int64_t> rows, std::span<double> gains) const;
  void Add(int64_t row);

 private:
  const Rows features_;
  const Concave concave_;
  std::vector<double> weights_;
  std::vector<double> sums_;
};

// f(S) = min over pairs of S of their distance. Not submodular; its "gain" is the distance to the
// nearest chosen row, so that the greedy choice is farthest-first traversal, within 1/2 of the
// best. Before the first row is chosen, that with the smallest sum of distances has the greatest
// gain.
class DisparityMin {
 public:
  explicit DisparityMin(const PairMatrix& distances);
  int64_t size() const { return distances_.size(); }
  void Gains(std::span<const int64_t> rows, std::span<double> gains) const;
  void Add(int64_t row);

 private:
  const PairMatrix& distances_;
  std::vector<double> nearest_;
};

}  // namespace tidemill::subsets

// The set functions for Maximise() of greedy.h. Their gains are f(S + row) - f(S), computed so that
// rounding never makes a gain increase as S grows. Their inputs must be finite and outlive them.
// `pool` may be nullptr; no result depends on it. Thread-compatible.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/threads/worker_pool.h"
#include "subsets/distances.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

// f(S) = sum over all rows i of count(i) x max over j in S of similarity(i, j), which is at least
// 0. Monotone and submodular. A count says how many samples a row stands for; empty counts mean 1
// each.
class FacilityLocation {
 public:
  explicit FacilityLocation(const PairMatrix& similarity, WorkerPool* pool = nullptr,
                            std::span<const float> counts = {});
  int64_t size() const { return similarity_.size(); }
  void Gains(std::span<const int64_t> rows, std::span<double> gains) const;
  void Add(int64_t row);
  // Returns, for each row, the number of rows whose most similar chosen row it is, or the sum of
  // their counts; 0 for a row that is not chosen. Among equally similar ones, the one chosen first
  // counts. A chosen row belongs to itself. The numbers add up to size(), or to the sum of the
  // counts.
  std::vector<int64_t> NumNearest() const;

 private:
  const PairMatrix& similarity_;
  WorkerPool* const pool_;
  const std::span<const float> counts_;
  std::vector<float> best_;      // The similarity to the most similar chosen row.
  std::vector<int64_t> served_;  // The chosen row that serves each row; -1 while none is chosen.
};

// f(S) = sum over all i and j in S of s(i, j) - lambda sum over i, j in S of s(i, j), including the
// diagonal (the convention of submodlib). s is at least 0. Submodular; monotone for lambda <= 1/2.
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

// f(S) = log det (K_SS + 1e-12 I) of a positive semidefinite kernel K. It uses a Cholesky factor
// that grows (Chen et al., Fast greedy MAP inference for determinantal point processes, NeurIPS
// 2018). Submodular, not monotone. When the chosen rows explain all of a row except 10^-6, which is
// the rounding of the kernel's floats, the row has the gain log 10^-12 and explains nothing more.
// O(|S| n) numbers.
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
  std::vector<std::vector<double>> factors_;  // For each chosen row, one number per row.
  // The part of K_ii that the chosen rows do not explain: exp of the gain.
  std::vector<double> left_;
};

}  // namespace tidemill::subsets

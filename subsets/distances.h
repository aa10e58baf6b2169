// Distances and products of rows. Each number depends on its two rows alone, not on other rows or
// on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

// Calls body(from, to) for pieces of [0, count). The pieces do not depend on the pool, which may be
// nullptr.
template <typename Body>
void ForPieces(WorkerPool* pool, int64_t count, int64_t piece, Body&& body) {
  const int64_t num_pieces = (count + piece - 1) / piece;
  const auto run = [&](int64_t i) { body(i * piece, std::min((i + 1) * piece, count)); };
  if (pool != nullptr && num_pieces > 1) {
    pool->ParallelFor(num_pieces, run);
  } else {
    for (int64_t i = 0; i < num_pieces; ++i) run(i);
  }
}

float SquaredDistance(std::span<const float> a, std::span<const float> b);
float Product(std::span<const float> a, std::span<const float> b);

// Sets distances[i] to the squared Euclidean distance of `point` from row from + i.
void SquaredDistances(std::span<const float> point, const Rows& rows, int64_t from,
                      std::span<float> distances);

// For each row of `points`, the nearest row of `to`, and its squared distance. Among equally near
// rows, it is the first.
struct Nearest {
  std::vector<int64_t> rows;
  std::vector<float> squared_distances;
};
Nearest FindNearest(const Rows& points, const Rows& to, WorkerPool* pool);

// A symmetric matrix of n rows and n columns, with one number for each pair of rows.
class PairMatrix {
 public:
  PairMatrix() = default;
  explicit PairMatrix(int64_t size) : size_(size), values_(static_cast<size_t>(size * size)) {}

  int64_t size() const { return size_; }
  std::span<const float> Row(int64_t row) const {
    return {values_.data() + row * size_, static_cast<size_t>(size_)};
  }
  std::span<float> MutableRow(int64_t row) {
    return {values_.data() + row * size_, static_cast<size_t>(size_)};
  }

 private:
  int64_t size_ = 0;
  std::vector<float> values_;
};

// The next three return n^2 floats each, and take O(n^2 d) time. Rows must be finite; see
// UsableRows.
PairMatrix Distances(const Rows& rows, WorkerPool* pool);  // Euclidean, 0 on the diagonal.
// (greatest distance) + 1e-3 - distance.
PairMatrix ShiftedDistances(const Rows& rows, WorkerPool* pool);
// (1 + cosine) / 2. It is 1 on the diagonal, and 1/2 between a row of zeros and any other row.
PairMatrix CosineSimilarities(const Rows& rows, WorkerPool* pool);

// Returns each row divided by its length. Rows of zeros stay.
std::vector<float> Normalised(const Rows& rows);

// Returns copies of some rows, one after another.
std::vector<float> Gathered(const Rows& rows, std::span<const int64_t> which);

}  // namespace tidemill::subsets

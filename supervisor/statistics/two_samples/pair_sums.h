// Sums of a matrix over pairs of marked rows, for very many ways to mark them, as a permutation
// test with a kernel matrix needs.
//
// A number is kept as a whole one, in units of 1 / 32767. Sums are therefore exact: they have the
// same bits in any order, on any processor, with any number of sets beside them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "Eigen/Core"

namespace tidemill::supervisor::statistics {

// Which rows are in each of many sets. 2 bytes for each row of each set. Thread-compatible.
class RowSets {
 public:
  RowSets(int64_t num_rows, int64_t num_sets);

  void Add(int64_t row, int64_t set) { marks_[PlaceOf(row, set)] = 1; }
  bool Has(int64_t row, int64_t set) const { return marks_[PlaceOf(row, set)] != 0; }
  // Empties all sets.
  void Clear();
  int64_t num_sets() const { return num_sets_; }

  // Sets are stored in tiles of kTile, with two rows of a set side by side.
  static constexpr int64_t kTile = 16;
  int64_t num_tiles() const { return (num_sets_ + kTile - 1) / kTile; }
  // Returns the marks of a tile from `row`, an even number, on.
  const int16_t* TileAt(int64_t tile, int64_t row) const {
    return marks_.data() + PlaceOf(row, tile * kTile);
  }

 private:
  size_t PlaceOf(int64_t row, int64_t set) const {
    const int64_t pair = set / kTile * num_pairs_ + row / 2;
    return static_cast<size_t>((pair * kTile + set % kTile) * 2 + row % 2);
  }

  int64_t num_pairs_;
  int64_t num_sets_;
  std::vector<int16_t> marks_;
};

// A block of a symmetric matrix of numbers from 0 to 1, as whole numbers. Thread-compatible.
class WholeBlock {
 public:
  static constexpr int64_t kSide = 256;
  // The number that represents 1.
  static constexpr int64_t kOne = 32767;

  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // Takes the numbers of at most kSide rows and columns.
  void Set(const Matrix& numbers);
  // Adds to the sum of each set the numbers whose row and column are in it, `times` times. The
  // block begins at (`row`, `column`) of the matrix, both multiples of kSide.
  void AddWithin(int64_t row, int64_t column, int64_t times, const RowSets& sets,
                 std::span<int64_t> sums) const;
  // Adds the sum of each row of the block.
  void AddRowSums(std::span<int64_t> sums) const;
  // Adds the sum of each of its columns.
  void AddColumnSums(std::span<int64_t> sums) const;

 private:
  // Rows and columns beyond those of the block hold zeros.
  std::vector<int16_t> numbers_ = std::vector<int16_t>(kSide * kSide);
  int64_t num_rows_ = 0;
  int64_t num_columns_ = 0;
};

}  // namespace tidemill::supervisor::statistics

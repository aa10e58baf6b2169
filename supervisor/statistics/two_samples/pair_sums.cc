#include "supervisor/statistics/two_samples/pair_sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tidemill::supervisor::statistics {
namespace {

// Rows of a block that are multiplied at once.
constexpr int64_t kStripe = 4;
// For each row of a stripe and each set of a tile: the sum over the set's columns.
using TileSums = std::array<int32_t, kStripe * RowSets::kTile>;

// Multiplies a stripe of a block with a tile of sets, two columns at a time. The greatest sum,
// kSide times kOne, fits.
using Multiply = void (*)(const int16_t* numbers, const int16_t* marks, int64_t num_pairs,
                          TileSums& sums);

void MultiplyPlainly(const int16_t* numbers, const int16_t* marks, int64_t num_pairs,
                     TileSums& sums) {
  sums.fill(0);
  for (int64_t pair = 0; pair < num_pairs; ++pair, marks += 2 * RowSets::kTile) {
    for (int64_t row = 0; row < kStripe; ++row) {
      const int16_t* two = numbers + row * WholeBlock::kSide + 2 * pair;
      int32_t* of_row = sums.data() + row * RowSets::kTile;
      for (int64_t set = 0; set < RowSets::kTile; ++set) {
        of_row[set] += two[0] * marks[2 * set] + two[1] * marks[2 * set + 1];
      }
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void MultiplyByAvx2(const int16_t* numbers, const int16_t* marks,
                                                    int64_t num_pairs, TileSums& sums) {
  __m256i low[kStripe], high[kStripe];
#pragma GCC unroll 4
  for (int64_t row = 0; row < kStripe; ++row) low[row] = high[row] = _mm256_setzero_si256();
  for (int64_t pair = 0; pair < num_pairs; ++pair, marks += 2 * RowSets::kTile) {
    const auto* at = reinterpret_cast<const __m256i*>(marks);
    const __m256i first = _mm256_loadu_si256(at), second = _mm256_loadu_si256(at + 1);
#pragma GCC unroll 4
    for (int64_t row = 0; row < kStripe; ++row) {
      int32_t two = 0;
      std::memcpy(&two, numbers + row * WholeBlock::kSide + 2 * pair, sizeof(two));
      const __m256i number = _mm256_set1_epi32(two);
      low[row] = _mm256_add_epi32(low[row], _mm256_madd_epi16(number, first));
      high[row] = _mm256_add_epi32(high[row], _mm256_madd_epi16(number, second));
    }
  }
#pragma GCC unroll 4
  for (int64_t row = 0; row < kStripe; ++row) {
    auto* of_row = reinterpret_cast<__m256i*>(sums.data() + row * RowSets::kTile);
    _mm256_storeu_si256(of_row, low[row]);
    _mm256_storeu_si256(of_row + 1, high[row]);
  }
}
#endif

Multiply Fastest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return MultiplyByAvx2;
#endif
  return MultiplyPlainly;
}

}  // namespace

RowSets::RowSets(int64_t num_rows, int64_t num_sets)
    // A stripe is whole.
    : num_pairs_((num_rows + kStripe - 1) / kStripe * kStripe / 2), num_sets_(num_sets) {
  marks_.resize(static_cast<size_t>(num_tiles() * num_pairs_ * 2 * kTile));
}

void RowSets::Clear() { std::fill(marks_.begin(), marks_.end(), int16_t{0}); }

void WholeBlock::Set(const Matrix& numbers) {
  num_rows_ = numbers.rows();
  num_columns_ = numbers.cols();
  std::fill(numbers_.begin(), numbers_.end(), int16_t{0});
  for (int64_t row = 0; row < num_rows_; ++row) {
    int16_t* of_row = numbers_.data() + row * kSide;
    const double* from = numbers.data() + row * num_columns_;
    for (int64_t column = 0; column < num_columns_; ++column) {
      of_row[column] = static_cast<int16_t>(from[column] * static_cast<double>(kOne) + 0.5);
    }
  }
}

void WholeBlock::AddWithin(int64_t row, int64_t column, int64_t times, const RowSets& sets,
                           std::span<int64_t> sums) const {
  static const Multiply multiply = Fastest();
  constexpr int64_t kTile = RowSets::kTile;
  const int64_t num_pairs = (num_columns_ + 1) / 2;
  TileSums products;
  for (int64_t tile = 0; tile < sets.num_tiles(); ++tile) {
    const int16_t* marks = sets.TileAt(tile, column);
    std::array<int64_t, kTile> of_tile = {};
    for (int64_t stripe = 0; stripe < num_rows_; stripe += kStripe) {
      multiply(numbers_.data() + stripe * kSide, marks, num_pairs, products);
      const int16_t* own = sets.TileAt(tile, row + stripe);
      for (int64_t i = 0; i < kStripe; ++i) {
        const int16_t* of_row = own + i / 2 * 2 * kTile + i % 2;
        for (int64_t set = 0; set < kTile; ++set) {
          of_tile[static_cast<size_t>(set)] +=
              of_row[2 * set] * products[static_cast<size_t>(i * kTile + set)];
        }
      }
    }
    const int64_t first = tile * kTile;
    for (int64_t set = first; set < std::min(first + kTile, sets.num_sets()); ++set) {
      sums[static_cast<size_t>(set)] += times * of_tile[static_cast<size_t>(set - first)];
    }
  }
}

void WholeBlock::AddRowSums(std::span<int64_t> sums) const {
  for (int64_t row = 0; row < num_rows_; ++row) {
    int64_t sum = 0;
    for (int64_t column = 0; column < num_columns_; ++column) {
      sum += numbers_[static_cast<size_t>(row * kSide + column)];
    }
    sums[static_cast<size_t>(row)] += sum;
  }
}

void WholeBlock::AddColumnSums(std::span<int64_t> sums) const {
  for (int64_t row = 0; row < num_rows_; ++row) {
    for (int64_t column = 0; column < num_columns_; ++column) {
      sums[static_cast<size_t>(column)] += numbers_[static_cast<size_t>(row * kSide + column)];
    }
  }
}

}  // namespace tidemill::supervisor::statistics

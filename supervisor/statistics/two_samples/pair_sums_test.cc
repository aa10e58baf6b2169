#include "supervisor/statistics/two_samples/pair_sums.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"

namespace tidemill::supervisor::statistics {
namespace {

// A block of whole numbers of 1 / kOne, all different.
WholeBlock::Matrix Numbers(int64_t rows, int64_t columns) {
  WholeBlock::Matrix numbers(rows, columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      numbers(i, j) = static_cast<double>((i * 971 + j * 31) % (WholeBlock::kOne + 1)) /
                      static_cast<double>(WholeBlock::kOne);
    }
  }
  return numbers;
}

TEST(PairSums, AddTheNumbersWhoseRowAndColumnAreInTheSet) {
  // Odd sizes, a second block, and a tile that is not full.
  const int64_t rows = 255, columns = 131, first_column = WholeBlock::kSide, num_sets = 21;
  RowSets sets(first_column + columns, num_sets);
  for (int64_t set = 0; set < num_sets; ++set) {
    for (int64_t row = 0; row < first_column + columns; ++row) {
      if (RandomUnit({.seed = set, .purpose = "test"}, row) < 0.4) sets.Add(row, set);
    }
  }
  const WholeBlock::Matrix numbers = Numbers(rows, columns);
  WholeBlock block;
  block.Set(numbers);
  std::vector<int64_t> sums(num_sets, 5);
  block.AddWithin(0, first_column, 2, sets, sums);
  for (int64_t set = 0; set < num_sets; ++set) {
    double expected = 0;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        if (sets.Has(i, set) && sets.Has(first_column + j, set)) expected += numbers(i, j);
      }
    }
    EXPECT_EQ(sums[static_cast<size_t>(set)], 5 + 2 * std::llround(expected * WholeBlock::kOne))
        << set;
  }
}

TEST(PairSums, HoldTheGreatestSumOfABlock) {
  RowSets sets(2 * WholeBlock::kSide, 1);
  for (int64_t row = 0; row < 2 * WholeBlock::kSide; ++row) sets.Add(row, 0);
  WholeBlock block;
  block.Set(WholeBlock::Matrix::Ones(WholeBlock::kSide, WholeBlock::kSide));
  std::vector<int64_t> sum(1);
  block.AddWithin(WholeBlock::kSide, 0, 1, sets, sum);
  EXPECT_EQ(sum[0], WholeBlock::kSide * WholeBlock::kSide * WholeBlock::kOne);
}

TEST(PairSums, AddRowsAndColumns) {
  WholeBlock block;
  // All below kOne.
  block.Set(Numbers(33, 3));
  std::vector<int64_t> rows(33), columns(3);
  block.AddRowSums(rows);
  block.AddColumnSums(columns);
  EXPECT_EQ(rows[1], 3 * 971 + 31 + 62);
  EXPECT_EQ(columns[2], 971 * (32 * 33 / 2) + 33 * 62);
}

TEST(RowSets, ForgetTheirRows) {
  RowSets sets(7, 3);
  sets.Add(6, 2);
  EXPECT_TRUE(sets.Has(6, 2));
  EXPECT_FALSE(sets.Has(6, 1));
  sets.Clear();
  EXPECT_FALSE(sets.Has(6, 2));
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

#include "subsets/draws/bottom_k.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::subsets {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr RandomKey kRandomOfRanks{.seed = 3, .purpose = "bottom_k_test"};

RankedRow RowWith(double rank, int64_t row) {
  return {.rank = rank, .bits = RandomBits(kRandomOfRanks, row), .id = row, .row = row};
}

std::vector<int64_t> RowsOf(BottomK& sketch) {
  std::vector<int64_t> rows;
  for (const RankedRow& row : sketch.Take()) rows.push_back(row.row);
  return rows;
}

TEST(BottomK, HoldsTheSmallestRanksInTheirOrder) {
  BottomK sketch(3);
  for (int64_t row = 0; row < 10'000; ++row) {
    sketch.Add(RowWith(static_cast<double>((row * 7919) % 10'007), row));
  }
  std::vector<std::pair<int64_t, int64_t>> sorted;
  for (int64_t row = 0; row < 10'000; ++row) sorted.emplace_back((row * 7919) % 10'007, row);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_THAT(RowsOf(sketch), ElementsAre(sorted[0].second, sorted[1].second, sorted[2].second));
}

TEST(BottomK, BreaksTiesByBitsNotByThePlace) {
  BottomK forward(2);
  BottomK backward(2);
  for (int64_t row = 0; row < 500; ++row) forward.Add(RowWith(1, row));
  for (int64_t row = 499; row >= 0; --row) backward.Add(RowWith(1, row));
  const auto rows = RowsOf(forward);
  EXPECT_EQ(rows, RowsOf(backward));
  for (int64_t row = 0; row < 500; ++row) {
    EXPECT_GE(RandomBits(kRandomOfRanks, row), RandomBits(kRandomOfRanks, rows[0]));
  }
}

TEST(BottomK, OfNoneOrOfZeroHoldsNone) {
  BottomK sketch(5);
  EXPECT_THAT(RowsOf(sketch), IsEmpty());
  BottomK zero(0);
  for (int64_t row = 0; row < 1000; ++row) zero.Add(RowWith(1, row));
  EXPECT_THAT(RowsOf(zero), IsEmpty());
}

TEST(DecayedRank, IsFiniteAndOrderedOverDecadesOfShortHalfLives) {
  constexpr int64_t kYear = int64_t{365} * 86'400'000'000;
  for (const int64_t half_life : {int64_t{1}, int64_t{1'000'000}, 1000 * kYear}) {
    for (const uint64_t bits : {uint64_t{0}, ~uint64_t{0}, uint64_t{1} << 63}) {
      for (int64_t year = -60; year <= 300; year += 30) {
        EXPECT_TRUE(std::isfinite(DecayedRank(year * kYear, half_life, bits)));
      }
    }
  }
  // Against a half-life of a second, no luck makes up for 30 years.
  EXPECT_LT(DecayedRank(60 * kYear, 1'000'000, 0),
            DecayedRank(30 * kYear, 1'000'000, ~uint64_t{0}));
}

TEST(DecayedRank, DrawsASampleOneHalfLifeOlderHalfAsOften) {
  // One of two samples is drawn: the older one with probability 1/3.
  constexpr int64_t kDraws = 40'000;
  int64_t older = 0;
  for (int64_t i = 0; i < kDraws; ++i) {
    const double old_rank = DecayedRank(1000, 50, RandomBits(kRandomOfRanks, 2 * i));
    const double new_rank = DecayedRank(1050, 50, RandomBits(kRandomOfRanks, 2 * i + 1));
    if (old_rank < new_rank) ++older;
  }
  const double share = static_cast<double>(older) / kDraws;
  EXPECT_NEAR(share, 1.0 / 3, 4 * std::sqrt(2.0 / 9 / kDraws));
}

}  // namespace
}  // namespace tidemill::subsets

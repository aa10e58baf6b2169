#include "trainer_server/training/row_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace tidemill::trainer_server {
namespace {

using models::Augment;

std::vector<int64_t> Ordinals(int64_t count) {
  std::vector<int64_t> ordinals(static_cast<size_t>(count));
  std::iota(ordinals.begin(), ordinals.end(), 100);
  return ordinals;
}

constexpr RandomKey kKey{.seed = 5, .purpose = "", .trigger = 2, .epoch = 1};

TEST(DrawPairs, MakesOneRingOfABatch) {
  for (const int64_t count : {1, 2, 3, 64}) {
    const auto pairs = DrawPairs({}, kKey, Ordinals(count));
    std::set<int64_t> met;
    int64_t row = 0;
    for (int64_t i = 0; i < count; ++i) {
      met.insert(row);
      row = pairs[static_cast<size_t>(row)].partner;
    }
    EXPECT_EQ(std::ssize(met), count);
    EXPECT_EQ(row, 0);
  }
}

TEST(DrawPairs, DependsOnOrdinalsAndTheKeyAlone) {
  const std::vector<int64_t> ordinals = Ordinals(32);
  const auto pairs = DrawPairs({.alpha = 0.4}, kKey, ordinals);
  std::vector<int64_t> backwards(ordinals.rbegin(), ordinals.rend());
  const auto turned = DrawPairs({.alpha = 0.4}, kKey, backwards);
  for (size_t row = 0; row < 32; ++row) {
    EXPECT_EQ(turned[31 - row].share, pairs[row].share);
    EXPECT_EQ(turned[31 - row].partner, 31 - pairs[row].partner);
  }
  // One row is gone: its place in the ring is closed.
  const std::vector<int64_t> fewer(ordinals.begin(), ordinals.end() - 1);
  const auto rest = DrawPairs({.alpha = 0.4}, kKey, fewer);
  for (size_t row = 0; row < 31; ++row) {
    const int64_t partner = pairs[row].partner;
    EXPECT_EQ(rest[row].share, pairs[row].share);
    EXPECT_EQ(rest[row].partner, partner == 31 ? pairs[31].partner : partner);
  }
  for (const RandomKey& other : {RandomKey{.seed = 6, .purpose = "", .trigger = 2, .epoch = 1},
                                 RandomKey{.seed = 5, .purpose = "", .trigger = 3, .epoch = 1},
                                 RandomKey{.seed = 5, .purpose = "", .trigger = 2, .epoch = 2}}) {
    EXPECT_NE(DrawPairs({.alpha = 0.4}, other, ordinals), pairs);
  }
}

TEST(DrawPairs, DrawsSharesFromABetaDistribution) {
  constexpr int64_t kCount = 20'000;
  for (const double alpha : {0.01, 0.2, 0.5, 1.0, 2.0, 100.0}) {
    const auto pairs = DrawPairs({.alpha = alpha}, kKey, Ordinals(kCount));
    double mean = 0;
    double square = 0;
    for (const RowPair& pair : pairs) {
      ASSERT_GE(pair.share, 0);
      ASSERT_LE(pair.share, 1);
      mean += pair.share / kCount;
      square += (pair.share - 0.5) * (pair.share - 0.5) / kCount;
    }
    // The variance is 1 / (4 (2 alpha + 1)); six standard deviations.
    const double variance = 1 / (4 * (2 * alpha + 1));
    EXPECT_NEAR(mean, 0.5, 6 * std::sqrt(variance / kCount)) << alpha;
    EXPECT_NEAR(square, variance, 6 * 0.25 / std::sqrt(kCount)) << alpha;
  }
}

TEST(DrawPairs, LeavesRowsAloneByTheProbability) {
  constexpr int64_t kCount = 10'000;
  const auto pairs = DrawPairs({.probability = 0.3}, kKey, Ordinals(kCount));
  const auto mixed =
      std::ranges::count_if(pairs, [](const RowPair& pair) { return pair.share < 1; });
  EXPECT_NEAR(static_cast<double>(mixed), 0.3 * kCount, 6 * std::sqrt(0.21 * kCount));
}

TEST(RectangleOf, CoversWhatTheShareLeaves) {
  EXPECT_EQ(RectangleOf({.share = 0.75, .down = 0.5, .across = 0.5}, 40, 80),
            (Rectangle{.top = 10, .bottom = 30, .left = 20, .right = 60}));
  EXPECT_EQ(RectangleOf({.share = 1, .down = 0.5, .across = 0.5}, 40, 80).Area(), 0);
  EXPECT_EQ(RectangleOf({.share = 0, .down = 0.5, .across = 0.5}, 40, 80).Area(), 40 * 80);
  EXPECT_EQ(RectangleOf({.share = 0.75, .down = 0, .across = 0.99}, 40, 80),
            (Rectangle{.top = 0, .bottom = 10, .left = 59, .right = 80}));
}

}  // namespace
}  // namespace tidemill::trainer_server

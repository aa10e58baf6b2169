#include "base/numbers/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace tidemill {
namespace {

constexpr RandomKey kKey = {.seed = 42, .purpose = "shuffle", .trigger = 3, .epoch = 1};

std::vector<int64_t> Images(const RandomKey& key, int64_t size) {
  const Permutation permutation(key, size);
  std::vector<int64_t> images;
  for (int64_t i = 0; i < size; ++i) images.push_back(permutation(i));
  return images;
}

class PermutationTest : public ::testing::TestWithParam<int64_t> {};

INSTANTIATE_TEST_SUITE_P(Sizes, PermutationTest, ::testing::Values(1, 2, 3, 10, 1000, 4096, 4097));

TEST_P(PermutationTest, TakesEachNumberOnce) {
  std::vector<int64_t> images = Images(kKey, GetParam());
  std::sort(images.begin(), images.end());
  std::vector<int64_t> all(static_cast<size_t>(GetParam()));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(images, all);
}

TEST_P(PermutationTest, HasTheSameImagesOneByOneAndTogether) {
  const Permutation permutation(kKey, GetParam());
  const std::vector<int64_t> images = Images(kKey, GetParam());
  for (const int64_t from : {int64_t{0}, GetParam() / 3, GetParam()}) {
    std::vector<int64_t> range(static_cast<size_t>(GetParam() - from));
    permutation.Range(from, range);
    EXPECT_TRUE(std::equal(range.begin(), range.end(), images.begin() + from, images.end()));
  }
}

TEST(Permutation, DependsOnEveryPartOfTheKey) {
  const std::vector<int64_t> images = Images(kKey, 1000);
  EXPECT_EQ(Images(kKey, 1000), images);
  EXPECT_NE(Images({43, "shuffle", 3, 1}, 1000), images);
  EXPECT_NE(Images({42, "selection", 3, 1}, 1000), images);
  EXPECT_NE(Images({42, "shuffle", 4, 1}, 1000), images);
  EXPECT_NE(Images({42, "shuffle", 3, 2}, 1000), images);
}

TEST(Permutation, PutsAboutOnePointInPlace) {
  // A random permutation has one fixed point on average, more than 10 once in 10^8.
  const std::vector<int64_t> images = Images(kKey, 4097);
  int64_t fixed = 0;
  for (size_t i = 0; i < images.size(); ++i) fixed += images[i] == static_cast<int64_t>(i) ? 1 : 0;
  EXPECT_LE(fixed, 10);
}

TEST(Permutation, ReachesTheEndOfLargeSizes) {
  constexpr int64_t kSize = int64_t{1} << 40;
  const Permutation permutation(kKey, kSize);
  int64_t upper_half = 0;
  for (int64_t i = 0; i < 1000; ++i) upper_half += permutation(i) >= kSize / 2 ? 1 : 0;
  EXPECT_NEAR(upper_half, 500, 100);
}

TEST(RandomBits, NeverChange) {
  // Sealed training sets and models depend on these numbers.
  EXPECT_EQ(RandomBits(kKey, 0), RandomBits(kKey, 0));
  EXPECT_EQ(RandomBits(kKey, 0), 11664045837451836638U);
  EXPECT_EQ(Permutation(kKey, 1000)(0), 459);
}

TEST(RandomBits, AreTheSameOneByOneAndTogether) {
  std::vector<int64_t> ordinals = {0, 1, -1, std::numeric_limits<int64_t>::max(),
                                   std::numeric_limits<int64_t>::min()};
  for (int64_t i = 0; i < 10'000; ++i) ordinals.push_back((int64_t{1} << 44) + i * 7919);
  for (const RandomKey& key : {kKey, RandomKey{}, RandomKey{.seed = -5, .purpose = "selection"}}) {
    std::vector<uint64_t> bits(ordinals.size());
    RandomBits(key, ordinals, bits);
    for (size_t i = 0; i < ordinals.size(); ++i) ASSERT_EQ(bits[i], RandomBits(key, ordinals[i]));
  }
}

TEST(RandomUnit, IsUniformBelowOne) {
  double sum = 0;
  for (int64_t i = 0; i < 10'000; ++i) {
    const double unit = RandomUnit(kKey, i);
    ASSERT_GE(unit, 0);
    ASSERT_LT(unit, 1);
    sum += unit;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

}  // namespace
}  // namespace tidemill

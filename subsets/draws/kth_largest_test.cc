#include "subsets/draws/kth_largest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "subsets/testing/special_numbers.h"

namespace tidemill::subsets {
namespace {

using testing::kInfinity;

constexpr RandomKey kRandomOfValues{.seed = 9, .purpose = "kth_largest_test"};

std::vector<float> Values(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    // Values of all magnitudes and both signs, with many ties.
    const double unit = RandomUnit(kRandomOfValues, i) - 0.5;
    const int exponent = static_cast<int>(RandomBits(kRandomOfValues, -10 - i) % 60) - 30;
    values.push_back(std::round(static_cast<float>(std::ldexp(unit, exponent)) * 16) / 16);
  }
  return values;
}

float FindKthLargest(std::span<const float> values, int64_t k) {
  KthLargest search(k);
  for (int pass = 0; pass < 2; ++pass) {
    KthLargest::Counters counters(KthLargest::kNumCounters);
    search.Count(values, counters);
    search.Narrow(counters);
  }
  return search.value();
}

TEST(KthLargest, IsWhatSortingGives) {
  std::vector<float> values = Values(5000);
  values.insert(values.end(), {0.0F, -0.0F, kInfinity, -kInfinity, 1e-40F, -1e-40F});
  std::vector<float> sorted = values;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  for (int64_t k = 1; k <= std::ssize(values); k += 37) {
    EXPECT_EQ(FindKthLargest(values, k), sorted[static_cast<size_t>(k - 1)]);
  }
}

TEST(KthLargest, OfPartsIsThatOfTheWhole) {
  const std::vector<float> values = Values(4000);
  KthLargest search(123);
  for (int pass = 0; pass < 2; ++pass) {
    KthLargest::Counters sum(KthLargest::kNumCounters);
    for (size_t part = 0; part < 8; ++part) {
      KthLargest::Counters counters(KthLargest::kNumCounters);
      search.Count(std::span(values).subspan(part * 500, 500), counters);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += counters[i];
    }
    search.Narrow(sum);
  }
  EXPECT_EQ(search.value(), FindKthLargest(values, 123));
}

TEST(KthLargest, LeavesOutWhatIsNotANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(FindKthLargest(std::vector<float>{nan, 1, nan, 3}, 2), 1);
  EXPECT_EQ(FindKthLargest(std::vector<float>{-0.0F, 0.0F}, 2), 0);
}

TEST(KthLargest, OfTooFewIsMinusInfinity) {
  for (const auto& values : {std::vector<float>{}, std::vector<float>{1, 2}}) {
    EXPECT_EQ(FindKthLargest(values, 3), -kInfinity);
  }
}

TEST(KthLargestDeathTest, HasNoValueBeforeBothPasses) {
  KthLargest search(1);
  KthLargest::Counters counters(KthLargest::kNumCounters);
  search.Count(std::vector<float>{1, 2}, counters);
  search.Narrow(counters);
  EXPECT_DEATH(search.value(), "passes_ == 2");
}

TEST(KthLargestDeathTest, NeedsAllCounters) {
  const KthLargest search(1);
  std::vector<int64_t> too_few(10);
  EXPECT_DEATH(search.Count(std::vector<float>{1}, too_few), "kNumCounters");
}

}  // namespace
}  // namespace tidemill::subsets

#include "subsets/kth_largest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

#include "base/random.h"
#include "subsets/testing/special_numbers.h"

namespace tidemill::subsets {
namespace {

using testing::kInfinity;

constexpr RandomKey kRandomOfValues{.seed = 9, .purpose = "kth_largest_test"};

std::vector<float> Values(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    // Of all magnitudes and both signs, with many ties.
    const double unit = RandomUnit(kRandomOfValues, i) - 0.5;
    const int exponent = static_cast<int>(RandomBits(kRandomOfValues, -10 - i) % 60) - 30;
    values.push_back(std::round(static_cast<float>(std::ldexp(unit, exponent)) * 16) / 16);
  }
  return values;
}

TEST(KthLargest, IsWhatSortingGives) {
  std::vector<float> values = Values(5000);
  values.insert(values.end(), {0.0F, -0.0F, kInfinity, -kInfinity, 1e-40F, -1e-40F});
  std::vector<float> sorted = values;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  for (int64_t k = 1; k <= std::ssize(values); k += 37) {
    const Threshold found = FindKthLargest(values, k);
    const float expected = sorted[static_cast<size_t>(k - 1)];
    EXPECT_EQ(found.value, expected);
    const auto above =
        std::count_if(sorted.begin(), sorted.end(), [&](float value) { return value > expected; });
    EXPECT_EQ(found.num_of_equal, k - above);
  }
}

TEST(KthLargest, OfPartsIsThatOfTheWhole) {
  const std::vector<float> values = Values(4000);
  KthLargest search(123);
  while (!search.done()) {
    KthLargest::Counters sum(KthLargest::kNumCounters);
    for (size_t part = 0; part < 8; ++part) {
      KthLargest::Counters counters(KthLargest::kNumCounters);
      search.Count(std::span(values).subspan(part * 500, 500), counters);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += counters[i];
    }
    search.Narrow(sum);
  }
  const Threshold whole = FindKthLargest(values, 123);
  EXPECT_EQ(search.value(), whole.value);
  EXPECT_EQ(search.num_of_equal(), whole.num_of_equal);
}

TEST(KthLargest, LeavesOutWhatIsNoNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(FindKthLargest(std::vector<float>{nan, 1, nan, 3}, 2).value, 1);
  EXPECT_EQ(FindKthLargest(std::vector<float>{-0.0F, 0.0F}, 2).num_of_equal, 2);
}

TEST(KthLargest, OfTooFewIsMinusInfinity) {
  for (const auto& values : {std::vector<float>{}, std::vector<float>{1, 2}}) {
    const Threshold found = FindKthLargest(values, 3);
    EXPECT_EQ(found.value, -kInfinity);
    EXPECT_EQ(found.num_of_equal, 0);
  }
}

}  // namespace
}  // namespace tidemill::subsets

#include "subsets/draws/quotas.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::subsets {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr RandomKey kRandomOfCounts{.seed = 5, .purpose = "quotas_test"};
using Counts = std::vector<int64_t>;

TEST(FairShare, FillsGroupsLikeWater) {
  struct Case {
    int64_t capacity;
    Counts counts;
    int64_t share;
  };
  const Case cases[] = {{30, {10, 30, 50}, 10}, {60, {10, 30, 50}, 25}, {90, {10, 30, 50}, 50},
                        {10, {3, 3, 3}, 3},     {12, {5, 5, 5}, 4},     {20, {5, 5, 100}, 10},
                        {100, {5, 6, 7}, 7},    {20, {100, 5, 5}, 10},  {0, {5, 6, 7}, 0},
                        {2, {5, 6, 7}, 0},      {-4, {5}, 0},           {7, {}, 0},
                        {7, {0, 0, 9}, 7}};
  for (const Case& c : cases) EXPECT_EQ(FairShare(c.counts, c.capacity), c.share) << c.capacity;
}

TEST(FairShare, IsTheGreatestNumberThatFits) {
  for (int64_t seed = 0; seed < 500; ++seed) {
    Counts counts(1 + RandomBits(kRandomOfCounts, seed) % 6);
    for (size_t i = 0; i < counts.size(); ++i) {
      const int64_t ordinal = 1000 + seed * 10 + static_cast<int64_t>(i);
      counts[i] = static_cast<int64_t>(RandomBits(kRandomOfCounts, ordinal) % 12);
    }
    const int64_t capacity = static_cast<int64_t>(RandomBits(kRandomOfCounts, 100'000 + seed) % 50);
    int64_t expected = 0;
    for (int64_t share = 0; share <= *std::max_element(counts.begin(), counts.end()); ++share) {
      int64_t sum = 0;
      for (const int64_t count : counts) sum += std::min(share, count);
      if (sum <= capacity) expected = share;
    }
    EXPECT_EQ(FairShare(counts, capacity), expected);
  }
}

TEST(FairShare, DoesNotOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(FairShare(Counts{kMax, kMax, kMax}, 10), 3);
  EXPECT_EQ(FairShare(Counts{kMax, 1}, kMax), kMax - 1);
}

TEST(Quotas, AreFairByDefault) {
  EXPECT_THAT(Quotas(QuotaRule::kFair, Counts{5, 5, 100}, 20, kRandomOfCounts),
              ElementsAre(5, 5, 10));
  EXPECT_THAT(Quotas(QuotaRule::kFair, Counts{3, 3, 3}, 10, kRandomOfCounts), ElementsAre(3, 3, 3));
  EXPECT_THAT(Quotas(QuotaRule::kFair, Counts{}, 10, kRandomOfCounts), IsEmpty());
}

TEST(Quotas, MeetTheTargetExactlyWhenAsked) {
  const Counts counts = {2, 9, 9, 9, 9};
  const auto quotas = Quotas(QuotaRule::kExact, counts, 20, kRandomOfCounts);  // The share is 4.
  EXPECT_EQ(std::accumulate(quotas.begin(), quotas.end(), int64_t{0}), 20);
  EXPECT_EQ(quotas[0], 2);
  EXPECT_THAT(std::vector<int64_t>(quotas.begin() + 1, quotas.end()),
              ::testing::UnorderedElementsAre(4, 4, 5, 5));
  // More than available.
  EXPECT_THAT(Quotas(QuotaRule::kExact, counts, 99, kRandomOfCounts), ElementsAre(2, 9, 9, 9, 9));
  // Fewer than there are groups.
  const auto few = Quotas(QuotaRule::kExact, counts, 2, kRandomOfCounts);
  EXPECT_EQ(std::accumulate(few.begin(), few.end(), int64_t{0}), 2);
}

TEST(Quotas, GiveOneMoreToTheSameGroupsInAnyOrder) {
  const Counts counts = {9, 9, 9, 9, 9};
  const Counts ids = {10, 11, 12, 13, 14};
  auto forward = Quotas(QuotaRule::kExact, counts, 12, kRandomOfCounts, ids);
  auto backward =
      Quotas(QuotaRule::kExact, counts, 12, kRandomOfCounts, Counts(ids.rbegin(), ids.rend()));
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
}

TEST(Quotas, AreEqualWhenAsked) {
  EXPECT_THAT(Quotas(QuotaRule::kEqual, Counts{10, 30, 50}, 60, kRandomOfCounts),
              ElementsAre(10, 10, 10));
  EXPECT_THAT(Quotas(QuotaRule::kEqual, Counts{10, 30, 50}, 15, kRandomOfCounts),
              ElementsAre(5, 5, 5));
  EXPECT_THAT(Quotas(QuotaRule::kEqual, Counts{0, 30, 50}, 60, kRandomOfCounts),
              ElementsAre(0, 30, 30));
  EXPECT_THAT(Quotas(QuotaRule::kEqual, Counts{7}, 60, kRandomOfCounts), ElementsAre(7));
}

}  // namespace
}  // namespace tidemill::subsets

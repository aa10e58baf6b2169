#include "preprocess/client/arrivals.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::preprocess {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int64_t> TakeAll(Arrivals& arrivals) {
  std::vector<int64_t> taken;
  while (const auto next = arrivals.Take()) taken.push_back(next->number);
  return taken;
}

TEST(Arrivals, AnOrderedConsumerGetsBatchesByNumberHoweverTheyCome) {
  Arrivals arrivals(3, 8, v1::GUARANTEE_EXACTLY_ONCE, Delivery::kOrdered);
  EXPECT_TRUE(arrivals.Add({.number = 5}));
  EXPECT_TRUE(arrivals.Add({.number = 4}));
  EXPECT_THAT(TakeAll(arrivals), IsEmpty());
  EXPECT_TRUE(arrivals.Add({.number = 3}));
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(3, 4, 5));
  EXPECT_EQ(arrivals.done_before(), 6);
  EXPECT_TRUE(arrivals.Add({.number = 7}));
  EXPECT_TRUE(arrivals.Add({.number = 6}));
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(6, 7));
  EXPECT_TRUE(arrivals.ended());
}

TEST(Arrivals, ARelaxedConsumerGetsThemAsTheyComeAndSaysWhichItHas) {
  Arrivals arrivals(0, 5, v1::GUARANTEE_EXACTLY_ONCE, Delivery::kRelaxed);
  for (const int64_t number : {3, 1, 4}) EXPECT_TRUE(arrivals.Add({.number = number}));
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(3, 1, 4));
  EXPECT_EQ(arrivals.done_before(), 0);
  EXPECT_THAT(arrivals.DoneBeyond(), ElementsAre(1, 3, 4));
  for (const int64_t number : {0, 2}) EXPECT_TRUE(arrivals.Add({.number = number}));
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(0, 2));
  EXPECT_TRUE(arrivals.ended());
  EXPECT_THAT(arrivals.DoneBeyond(), IsEmpty());
}

TEST(Arrivals, ExactlyOnceDropsWhatItHadWaitingOrTaken) {
  Arrivals arrivals(0, 4, v1::GUARANTEE_EXACTLY_ONCE, Delivery::kOrdered);
  EXPECT_TRUE(arrivals.Add({.number = 0}));
  EXPECT_TRUE(arrivals.Add({.number = 2}));
  EXPECT_FALSE(arrivals.Add({.number = 2, .attempt = 2}));
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(0));
  EXPECT_FALSE(arrivals.Add({.number = 0, .attempt = 2}));
  EXPECT_EQ(arrivals.num_dropped(), 2);
  EXPECT_EQ(arrivals.num_waiting(), 1);
}

TEST(Arrivals, AtLeastOnceHandsOnRepeatedBatches) {
  Arrivals arrivals(0, 2, v1::GUARANTEE_AT_LEAST_ONCE, Delivery::kOrdered);
  EXPECT_TRUE(arrivals.Add({.number = 0}));
  EXPECT_TRUE(arrivals.Add({.number = 1}));
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(0, 1));
  EXPECT_TRUE(arrivals.Add({.number = 0, .attempt = 2}));
  EXPECT_FALSE(arrivals.ended());
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(0));
  EXPECT_TRUE(arrivals.ended());
}

TEST(Arrivals, WhatIsLostIsPassedOverAndDroppedShouldItCome) {
  Arrivals arrivals(0, 6, v1::GUARANTEE_AT_MOST_ONCE, Delivery::kOrdered);
  EXPECT_TRUE(arrivals.Add({.number = 2}));
  arrivals.GiveUp(0, 4);
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(2)) << "it came before it was given up";
  EXPECT_EQ(arrivals.done_before(), 4);
  EXPECT_EQ(arrivals.num_given_up(), 3);
  EXPECT_FALSE(arrivals.Add({.number = 1}));
  arrivals.GiveUp(0, 4);
  EXPECT_EQ(arrivals.num_given_up(), 3) << "told again, it is not lost again";
  arrivals.GiveUp(4, 100);
  EXPECT_TRUE(arrivals.ended());
}

TEST(Arrivals, BatchesThatTheLaneDoesNotHaveAreDropped) {
  Arrivals arrivals(2, 4, v1::GUARANTEE_EXACTLY_ONCE, Delivery::kOrdered);
  EXPECT_FALSE(arrivals.Add({.number = 1}));
  EXPECT_FALSE(arrivals.Add({.number = 4}));
  EXPECT_FALSE(arrivals.Add({.number = -1}));
  EXPECT_EQ(arrivals.num_dropped(), 3);
}

TEST(Arrivals, EveryBatchIsTakenOnceFromAnyOrderWithRepetitions) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<int64_t> numbers(40);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (int i = 0; i < 20; ++i) numbers.push_back(static_cast<int64_t>(random() % 40));
    std::shuffle(numbers.begin(), numbers.end(), random);
    const Delivery delivery = seed % 2 == 0 ? Delivery::kOrdered : Delivery::kRelaxed;
    Arrivals arrivals(0, 40, v1::GUARANTEE_EXACTLY_ONCE, delivery);
    std::vector<int64_t> taken;
    for (const int64_t number : numbers) {
      arrivals.Add({.number = number});
      if (random() % 3 != 0) continue;
      for (const int64_t one : TakeAll(arrivals)) taken.push_back(one);
    }
    for (const int64_t one : TakeAll(arrivals)) taken.push_back(one);
    EXPECT_TRUE(arrivals.ended());
    EXPECT_EQ(delivery == Delivery::kOrdered, std::is_sorted(taken.begin(), taken.end()));
    std::sort(taken.begin(), taken.end());
    std::vector<int64_t> all(40);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(taken, all) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemill::preprocess

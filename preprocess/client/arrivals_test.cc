#include "preprocess/client/arrivals.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::preprocess {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int64_t> TakeAll(Arrivals& arrivals) {
  std::vector<int64_t> taken;
  while (const auto next = arrivals.Take()) taken.push_back(next->message.number);
  return taken;
}

TEST(Arrivals, BatchesAreTakenByNumberHoweverTheyCome) {
  Arrivals arrivals(3, 8);
  EXPECT_TRUE(arrivals.Add({.number = 5}, {}));
  EXPECT_TRUE(arrivals.Add({.number = 4}, {}));
  EXPECT_THAT(TakeAll(arrivals), IsEmpty());
  EXPECT_TRUE(arrivals.Add({.number = 3}, {}));
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(3, 4, 5));
  EXPECT_EQ(arrivals.done_before(), 6);
  EXPECT_TRUE(arrivals.Add({.number = 7}, {}));
  EXPECT_TRUE(arrivals.Add({.number = 6}, {}));
  EXPECT_FALSE(arrivals.ended());
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(6, 7));
  EXPECT_TRUE(arrivals.ended());
}

TEST(Arrivals, ABatchThatArrivesTwiceIsDroppedTheSecondTime) {
  Arrivals arrivals(0, 4);
  EXPECT_TRUE(arrivals.Add({.number = 0}, {}));
  EXPECT_TRUE(arrivals.Add({.number = 2}, {}));
  EXPECT_FALSE(arrivals.Add({.number = 2, .attempt = 2}, {}));
  EXPECT_THAT(TakeAll(arrivals), ElementsAre(0));
  EXPECT_FALSE(arrivals.Add({.number = 0, .attempt = 2}, {}));
}

TEST(Arrivals, BatchesThatTheLaneDoesNotHaveAreDropped) {
  Arrivals arrivals(2, 4);
  EXPECT_FALSE(arrivals.Add({.number = 1}, {}));
  EXPECT_FALSE(arrivals.Add({.number = 4}, {}));
  EXPECT_FALSE(arrivals.Add({.number = -1}, {}));
}

TEST(Arrivals, ABatchSaysWhereItsCreditBelongs) {
  Arrivals arrivals(0, 2);
  arrivals.Add({.number = 1}, Arrivals::Origin{.connection = 7, .bytes = 70});
  arrivals.Add({.number = 0}, {});
  EXPECT_FALSE(arrivals.Take()->origin.has_value());
  const auto second = arrivals.Take();
  ASSERT_TRUE(second->origin.has_value());
  EXPECT_EQ(second->origin->connection, 7);
  EXPECT_EQ(second->origin->bytes, 70);
}

TEST(Arrivals, EveryBatchIsTakenOnceFromAnyOrderWithRepetitions) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<int64_t> all(40);
    std::iota(all.begin(), all.end(), 0);
    std::vector<int64_t> numbers = all;
    for (int i = 0; i < 20; ++i) numbers.push_back(static_cast<int64_t>(random() % 40));
    std::shuffle(numbers.begin(), numbers.end(), random);
    Arrivals arrivals(0, 40);
    std::vector<int64_t> taken;
    int num_kept = 0;
    for (const int64_t number : numbers) {
      num_kept += arrivals.Add({.number = number}, {}) ? 1 : 0;
      if (random() % 3 != 0) continue;
      for (const int64_t one : TakeAll(arrivals)) taken.push_back(one);
    }
    for (const int64_t one : TakeAll(arrivals)) taken.push_back(one);
    EXPECT_TRUE(arrivals.ended());
    EXPECT_EQ(num_kept, 40);
    EXPECT_EQ(taken, all) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemill::preprocess

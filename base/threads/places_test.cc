#include "base/threads/places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "base/threads/worker_pool.h"

namespace tidemill {
namespace {

constexpr std::chrono::milliseconds kNoWait{0};

TEST(Places, GivesAllPlacesAndThenNone) {
  Places places(2);
  auto first = places.Take(kNoWait);
  const auto second = places.Take(kNoWait);
  EXPECT_TRUE(first.has_value());
  EXPECT_TRUE(second.has_value());
  EXPECT_FALSE(places.Take(kNoWait).has_value());
  first.reset();
  EXPECT_TRUE(places.Take(kNoWait).has_value());
}

TEST(Places, LetsNoMoreThreadsInThanThereArePlaces) {
  Places places(3);
  std::atomic<int> inside = 0, most = 0, done = 0;
  WorkerPool pool("places", 16);
  pool.ParallelFor(2'000, [&](int64_t) {
    const auto place = places.Take(std::chrono::minutes{1});
    ASSERT_TRUE(place.has_value());
    const int now = ++inside;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    --inside;
    ++done;
  });
  EXPECT_EQ(done, 2'000);
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace tidemill

#include "loader/read_ahead.h"

#include <atomic>
#include <latch>
#include <set>
#include <thread>

#include "gtest/gtest.h"

namespace tidemill::loader {
namespace {

struct Item {
  int64_t number = 0;
  int64_t bytes = 0;
};

using Items = ReadAhead<Item>;

int64_t BytesOf(const Item& item) { return item.bytes; }

TEST(ReadAhead, HandsItemsOverInOrder) {
  Items ahead(
      {.num_threads = 4, .bytes = 100}, 3, 1000,
      [](int64_t number, const std::stop_token&) {
        return Item{number, number % 17};
      },
      &BytesOf);
  for (int64_t number = 3; number < 1000; ++number) {
    const auto item = ahead.Next();
    ASSERT_TRUE(item.ok() && item->has_value());
    ASSERT_EQ((*item)->number, number);
  }
  EXPECT_FALSE(ahead.Next()->has_value());
}

TEST(ReadAhead, HoldsNoMoreBytesThanItsBudget) {
  constexpr int64_t kBytes = 100;
  std::atomic<int64_t> held = 0;
  std::atomic<int64_t> most = 0;
  Items ahead(
      {.num_threads = 3, .bytes = kBytes, .expected_bytes = 30}, 0, 300,
      [&](int64_t number, const std::stop_token&) {
        const int64_t now = held += 30;
        int64_t before = most;
        while (before < now && !most.compare_exchange_weak(before, now)) {
        }
        return Item{number, 30};
      },
      &BytesOf);
  for (int64_t number = 0; number < 300; ++number) {
    if (number > 0) held -= 30;  // What was taken is held until the next is asked for.
    ASSERT_EQ((**ahead.Next()).number, number);
  }
  EXPECT_LE(most, kBytes);
  EXPECT_GE(most, 30);
}

TEST(ReadAhead, MakesOneItemEvenWhenItIsLargerThanTheBudget) {
  Items ahead(
      {.num_threads = 2, .bytes = 10}, 0, 20,
      [](int64_t number, const std::stop_token&) {
        return Item{number, 1000};
      },
      &BytesOf);
  for (int64_t number = 0; number < 20; ++number) ASSERT_EQ((**ahead.Next()).number, number);
}

TEST(ReadAhead, KeepsItsThreads) {
  Mutex mutex;
  std::set<std::thread::id> threads;
  Items ahead(
      {.num_threads = 2, .bytes = 4}, 0, 500,
      [&](int64_t number, const std::stop_token&) {
        MutexLock lock(mutex);
        threads.insert(std::this_thread::get_id());
        return Item{number, 1};
      },
      &BytesOf);
  while (ahead.Next()->has_value()) {
  }
  MutexLock lock(mutex);
  EXPECT_LE(threads.size(), 2);
}

TEST(ReadAhead, GivesTheStatusOfAnItemThatCouldNotBeMade) {
  Items ahead(
      {.num_threads = 2, .bytes = 4}, 0, 10,
      [](int64_t number, const std::stop_token&) -> absl::StatusOr<Item> {
        if (number == 1) return DataLoss("broken");
        return Item{number, 1};
      },
      &BytesOf);
  EXPECT_TRUE(ahead.Next().ok());
  EXPECT_EQ(ahead.Next().status().code(), absl::StatusCode::kDataLoss);
}

TEST(ReadAhead, StopsWhatIsRunningWhenItEnds) {
  std::latch begun(1);
  {
    Items ahead(
        {.num_threads = 1, .bytes = 2}, 0, 10,
        [&](int64_t number, const std::stop_token& stop) -> absl::StatusOr<Item> {
          if (number == 0) return Item{0, 1};
          begun.count_down();
          while (!stop.stop_requested()) std::this_thread::yield();
          return Cancelled("stopped");
        },
        &BytesOf);
    EXPECT_TRUE(ahead.Next().ok());
    begun.wait();
  }
}

}  // namespace
}  // namespace tidemill::loader

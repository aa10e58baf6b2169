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
      [](int64_t number, int64_t, const std::stop_token&) {
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
      [&](int64_t number, int64_t, const std::stop_token&) {
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
      [](int64_t number, int64_t, const std::stop_token&) {
        return Item{number, 1000};
      },
      &BytesOf);
  for (int64_t number = 0; number < 20; ++number) ASSERT_EQ((**ahead.Next()).number, number);
}

// The number of threads that make items of one byte each.
size_t NumThreadsMaking(const Items::Options& options, int64_t num_items) {
  Mutex mutex;
  std::set<std::thread::id> threads;
  Items ahead(
      options, 0, num_items,
      [&](int64_t number, int64_t, const std::stop_token&) {
        MutexLock lock(mutex);
        threads.insert(std::this_thread::get_id());
        return Item{number, 1};
      },
      &BytesOf);
  while (ahead.Next()->has_value()) {
  }
  MutexLock lock(mutex);
  return threads.size();
}

TEST(ReadAhead, KeepsItsThreads) {
  EXPECT_LE(NumThreadsMaking({.num_threads = 2, .bytes = 4}, 500), 2U);
}

TEST(ReadAhead, StartsNoMoreThreadsThanThereIsWorkFor) {
  EXPECT_LE(NumThreadsMaking({.num_threads = 64, .bytes = 2}, 50), 2U)
      << "there is room for two items";
}

TEST(ReadAhead, ItemsOfOtherSizesFollowEachOtherWithoutGaps) {
  Items ahead(
      {.num_threads = 3, .together = 16, .bytes = 64}, 5, 1000,
      [](int64_t from, int64_t to, const std::stop_token&) {
        return Item{from, to - from};
      },
      &BytesOf);
  int64_t next = 5;
  for (int items = 0; next < 1000; ++items) {
    const auto item = ahead.Next();
    ASSERT_TRUE(item.ok() && item->has_value());
    ASSERT_EQ((*item)->number, next);
    next += (*item)->bytes;
    ASSERT_TRUE(next == 1000 || next % 4 == 0);
    ASSERT_TRUE(items >= 2 || next % 16 == 0) << "as at the beginning";
    if (items % 10 == 5) ahead.Set(items % 7 + 1, items % 20 == 5 ? 4 : 8);
  }
  EXPECT_FALSE(ahead.Next()->has_value());
}

TEST(ReadAhead, KeepsToItsBudgetWhateverTheNumberOfThreads) {
  constexpr int64_t kBytes = 64;
  std::atomic<int64_t> held = 0;
  std::atomic<int64_t> most = 0;
  Items ahead(
      {.num_threads = 2, .together = 16, .bytes = kBytes}, 0, 4000,
      [&](int64_t from, int64_t to, const std::stop_token&) {
        const int64_t now = held += to - from;
        int64_t before = most;
        while (before < now && !most.compare_exchange_weak(before, now)) {
        }
        return Item{from, to - from};
      },
      &BytesOf);
  int64_t taken = 0;
  for (int64_t next = 0, items = 0; next < 4000; next += taken, ++items) {
    held -= taken;
    taken = (**ahead.Next()).bytes;
    if (items % 50 == 10) ahead.Set(32, 1);
    if (items % 50 == 40) ahead.Set(2, 16);
  }
  EXPECT_LE(most, kBytes);
  EXPECT_GE(most, 16);
}

TEST(ReadAhead, SetsMoreThreadsToWorkWhileItRuns) {
  std::latch together(4);
  Items ahead(
      {.num_threads = 1, .bytes = 100}, 0, 40,
      [&](int64_t number, int64_t, const std::stop_token&) {
        // Four that wait for each other.
        if (number >= 20 && number < 24) together.arrive_and_wait();
        return Item{number, 1};
      },
      &BytesOf);
  EXPECT_TRUE(ahead.Next().ok());
  ahead.Set(4, 1);
  for (int64_t number = 1; number < 40; ++number) ASSERT_EQ((**ahead.Next()).number, number);
}

TEST(ReadAhead, GivesTheStatusOfAnItemThatCouldNotBeMade) {
  Items ahead(
      {.num_threads = 2, .bytes = 4}, 0, 10,
      [](int64_t number, int64_t, const std::stop_token&) -> absl::StatusOr<Item> {
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
        [&](int64_t number, int64_t, const std::stop_token& stop) -> absl::StatusOr<Item> {
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

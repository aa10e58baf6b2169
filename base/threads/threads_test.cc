// BoundedQueue, WorkerPool and the priority of threads.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/testing/status_matchers.h"
#include "base/threads/bounded_queue.h"
#include "base/threads/thread_priority.h"
#include "base/threads/worker_pool.h"

namespace tidemill {
namespace {

using testing::IsOk;
using testing::StatusIs;

TEST(ThreadPriority, AThreadThatGivesWayDoesSoAlone) {
  const auto niceness = [] { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); };
  const int before = niceness();
  int lowered = before;
  int lowered_again = before;
  std::jthread([&] {
    GiveWay();
    lowered = niceness();
    GiveWay();
    lowered_again = niceness();
  }).join();
  constexpr int kLowest = 19;
  EXPECT_GT(lowered, std::min(before, kLowest - 1));
  EXPECT_EQ(lowered_again, lowered);
  EXPECT_EQ(niceness(), before);
}

TEST(BoundedQueue, GivesItemsInOrderAndThenTheEnd) {
  BoundedQueue<std::unique_ptr<int>> queue(10);
  ASSERT_THAT(queue.Push(std::make_unique<int>(1)), IsOk());
  ASSERT_THAT(queue.Push(std::make_unique<int>(2)), IsOk());
  queue.Close();
  EXPECT_EQ(***queue.Pop(), 1);
  EXPECT_EQ(***queue.Pop(), 2);
  EXPECT_EQ(*queue.Pop(), std::nullopt);
}

TEST(BoundedQueue, NeverHoldsMoreThanItsBudget) {
  constexpr int64_t kBudget = 5;
  constexpr int kItems = 1'000;
  BoundedQueue<int> queue(kBudget);
  std::atomic<int64_t> held = 0;
  std::atomic<int64_t> most = 0;
  std::jthread producer([&] {
    for (int i = 0; i < kItems; ++i) {
      ASSERT_THAT(queue.Push(i, 2), IsOk());
      const int64_t now = held += 2;
      int64_t known = most;
      while (known < now && !most.compare_exchange_weak(known, now)) {
      }
    }
    queue.Close();
  });
  int expected = 0;
  while (true) {
    const auto item = queue.Pop();
    ASSERT_THAT(item, IsOk());
    if (!item->has_value()) break;
    held -= 2;
    EXPECT_EQ(**item, expected++);
  }
  EXPECT_EQ(expected, kItems);
  // One item more may have been counted between a pop and its subtraction.
  EXPECT_LE(most, kBudget + 2);
}

TEST(BoundedQueue, AdmitsAnItemLargerThanItsBudgetWhenEmpty) {
  BoundedQueue<int> queue(5);
  ASSERT_THAT(queue.Push(1, 100), IsOk());
  EXPECT_EQ(**queue.Pop(), 1);
}

TEST(BoundedQueue, WakesBothSidesWithTheStatusOfItsCancellation) {
  BoundedQueue<int> full(1);
  BoundedQueue<int> empty(1);
  ASSERT_THAT(full.Push(1), IsOk());
  absl::Status pushed;
  absl::Status popped;
  {
    std::jthread producer([&] { pushed = full.Push(2); });
    std::jthread consumer([&] { popped = empty.Pop().status(); });
    full.Cancel(Cancelled("enough"));
    full.Cancel(Cancelled("later"));
    empty.Cancel(Cancelled("enough"));
  }
  EXPECT_THAT(pushed, StatusIs(absl::StatusCode::kCancelled, "enough"));
  EXPECT_THAT(popped, StatusIs(absl::StatusCode::kCancelled, "enough"));
  EXPECT_THAT(full.Pop(), StatusIs(absl::StatusCode::kCancelled, "enough"));
}

TEST(WorkerPool, RunsWhatIsQueuedBeforeItEnds) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool("test", 2);
    for (int i = 0; i < 100; ++i) pool.Submit([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}

TEST(WorkerPool, RunsEachIndexOfALoopOnce) {
  WorkerPool pool("test", 4);
  for (const int64_t count : {0, 1, 3, 1'000}) {
    std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
    pool.ParallelFor(count, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
    for (const auto& run : runs) EXPECT_EQ(run, 1);
  }
}

TEST(WorkerPool, RunsLoopsInsideOfLoops) {
  WorkerPool pool("test", 2);
  std::atomic<int> done = 0;
  pool.ParallelFor(8, [&](int64_t) { pool.ParallelFor(8, [&](int64_t) { ++done; }); });
  EXPECT_EQ(done, 64);
}

}  // namespace
}  // namespace tidemill

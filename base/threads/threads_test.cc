// WorkerPool and the priority of threads.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/threads/thread_priority.h"
#include "base/threads/worker_pool.h"

namespace tidemill {
namespace {

TEST(ThreadPriority, AThreadThatGivesWayDoesSoAlone) {
  const auto niceness = [] { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); };
  const int before = niceness();
  int lowered = before;
  int lowered_again = before;
  std::jthread([&] {
    LowerThreadPriority();
    lowered = niceness();
    LowerThreadPriority();
    lowered_again = niceness();
  }).join();
  constexpr int kLowest = 19;
  EXPECT_GT(lowered, std::min(before, kLowest - 1));
  EXPECT_EQ(lowered_again, lowered);
  EXPECT_EQ(niceness(), before);
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

TEST(WorkerPoolDeathTest, TakesNoEmptyTask) {
  EXPECT_DEATH(WorkerPool("test", 1).Submit(nullptr), "task != nullptr");
}

}  // namespace
}  // namespace tidemill

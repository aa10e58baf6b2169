#include "base/threads/periodic_task.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/status.h"

namespace tidemill {
namespace {

using namespace std::chrono_literals;

TEST(PeriodicTask, EndsInTheMiddleOfALongInterval) {
  std::atomic<int> steps = 0;
  {
    PeriodicTask task("test", 1h, [&] {
      ++steps;
      steps.notify_all();
      return absl::OkStatus();
    });
    steps.wait(0);
  }
  // A destructor that waited for the interval would have run the test out of its time.
  EXPECT_EQ(steps, 1);
}

TEST(PeriodicTask, KeepsRunningAfterAFailedStep) {
  std::atomic<int> steps = 0;
  PeriodicTask task("test", 1ms, [&] {
    ++steps;
    steps.notify_all();
    return Unavailable("database is restarting");
  });
  for (int seen = 0; seen < 3; seen = steps) steps.wait(seen);
  EXPECT_GE(steps, 3);
}

}  // namespace
}  // namespace tidemill

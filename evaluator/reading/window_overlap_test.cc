#include "evaluator/reading/window_overlap.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace tidemill::evaluator {
namespace {

v1::JobWindow Between(std::optional<int64_t> from, std::optional<int64_t> to) {
  v1::JobWindow window;
  if (from) window.mutable_window()->mutable_from()->set_event_time(*from);
  if (to) window.mutable_window()->mutable_to()->set_event_time(*to);
  return window;
}

double Overlap(const std::vector<v1::JobWindow>& windows) { return OverlapOf(windows); }

TEST(OverlapOf, SaysHowOftenWindowsReadASampleAgain) {
  EXPECT_EQ(Overlap({}), 0);
  EXPECT_EQ(Overlap({Between({}, {})}), 0);
  EXPECT_EQ(Overlap({Between({}, {}), Between({}, {})}), 1);
  EXPECT_EQ(Overlap({Between(0, 10), Between(10, 30), Between(40, 50)}), 0);
  EXPECT_EQ(Overlap({Between(0, 20), Between(10, 30), Between(20, 40)}), 0.5);
  EXPECT_EQ(Overlap({Between({}, {}), Between(0, 10), Between(10, 20)}), 1);
}

}  // namespace
}  // namespace tidemill::evaluator

#include "supervisor/triggers/plain/evaluation_points.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {
namespace {

constexpr int64_t kHour = 3'600'000'000;

// In a live run the clock continues while no sample comes. A period with samples ends by it, and
// one without samples has no evaluation.
TEST(EvaluationPoints, OfEqualPeriodsFollowTheClockWhereNoSamplesCome) {
  EvaluationPoints points({.every = Duration{kHour}}, std::nullopt);
  EXPECT_FALSE(points.NextPoint({}, {100 * kHour})) << "no period has begun";
  const std::vector<int64_t> first = {5, 7}, second = {5 + 3 * kHour}, keys = {1, 2};
  points.Take({first, keys});
  EXPECT_FALSE(points.NextPoint({}, kNoClock));
  EXPECT_FALSE(points.NextPoint({}, {4 + kHour}));
  const Cut end{{5 + kHour}, {0}};
  const auto due = points.NextPoint({}, {5 + kHour});
  ASSERT_TRUE(due);
  EXPECT_EQ(due->at, end);
  EXPECT_EQ(due->num_before, 0);
  EXPECT_TRUE(points.EvaluatesAt(end));
  points.Pass({.at = end});
  EXPECT_FALSE(points.NextPoint({}, {100 * kHour})) << "the periods since are empty";
  points.Take({second, std::span(keys).first(1)});
  EXPECT_FALSE(points.NextPoint({}, {4 + 4 * kHour}));
  ASSERT_TRUE(points.NextPoint({}, {5 + 4 * kHour}));
  EXPECT_EQ(points.NextPoint({}, {5 + 4 * kHour})->at, (Cut{{5 + 4 * kHour}, {0}}));
}

// The same points, whether the clock or a later sample tells that a period has ended.
TEST(EvaluationPoints, AreTheSameByTheClockAndByTheSamplesOfAReplay) {
  EvaluationPoints points({.every = Duration{kHour}}, std::nullopt);
  const std::vector<int64_t> times = {5, 7, 9 + kHour}, keys = {1, 2, 3};
  const auto by_sample = points.NextPoint({times, keys}, kNoClock);
  ASSERT_TRUE(by_sample);
  EXPECT_EQ(by_sample->num_before, 2);
  const Samples before = Samples{times, keys}.First(2);
  EXPECT_FALSE(points.NextPoint(before, kNoClock));
  const auto by_clock = points.NextPoint(before, {5 + kHour});
  ASSERT_TRUE(by_clock);
  EXPECT_EQ(by_clock->at, by_sample->at);
  EXPECT_EQ(by_clock->num_before, 2);
}

}  // namespace
}  // namespace tidemill::supervisor

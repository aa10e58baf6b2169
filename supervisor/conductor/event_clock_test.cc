#include "supervisor/conductor/event_clock.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::supervisor {
namespace {

using tidemill::testing::IsOk;

constexpr int64_t kSecond = 1'000'000, kHour = 3'600 * kSecond, kDay = 24 * kHour;
constexpr int64_t kYear9999 = 253'370'764'800 * kSecond;

// A stream whose rows have the keys 1, 2, 3 ... in the order in which they come.
class EventClockTest : public ::testing::Test {
 protected:
  void Come(int64_t time) {
    times_.push_back(time);
    clock_.Add(time, std::ssize(times_));
  }
  // Rows from a time on, so far apart.
  void Come(int64_t from, int64_t step, int count) {
    for (int i = 0; i < count; ++i) Come(from + i * step);
  }

  EventClock::Reached Reach() const {
    auto reached = clock_.Reach(now_, [&](int64_t time, int64_t after, int64_t /*enough*/) {
      int64_t count = 0;
      for (size_t row = static_cast<size_t>(after); row < times_.size(); ++row) {
        if (times_[row] < time) ++count;
      }
      return count;
    });
    EXPECT_THAT(reached, IsOk());
    return *reached;
  }

  Timestamp now_{400 * kDay};
  EventClock clock_{Duration{kHour}};
  std::vector<int64_t> times_;
};

TEST_F(EventClockTest, IsTheGreatestTimeOfAStreamWithoutGaps) {
  EXPECT_EQ(Reach(), EventClock::Reached());
  Come(0, kSecond, 100);
  Come(50 * kSecond);
  EXPECT_EQ(Reach().time, 99 * kSecond);
  Come(99 * kSecond + kHour);
  EXPECT_EQ(Reach().time, 99 * kSecond + kHour);
  EXPECT_EQ(Reach().num_ahead, 0);
}

TEST_F(EventClockTest, OneRowADayAheadDoesNotMoveIt) {
  for (const int64_t ahead : {kDay, kYear9999}) {
    clock_.Reset();
    times_.clear();
    Come(0, kSecond, 180);
    Come(ahead);
    EXPECT_EQ(Reach(), (EventClock::Reached{179 * kSecond, 1, ahead}));
    Come(180 * kSecond, kSecond, 120);
    EXPECT_EQ(Reach(), (EventClock::Reached{299 * kSecond, 1, ahead}));
  }
}

TEST_F(EventClockTest, RowsAheadAmongManyOthersDoNotMoveItHoweverManyTheyAre) {
  // One of four devices is a day ahead.
  for (int i = 0; i < 4'000; ++i) Come(i * kSecond + (i % 4 == 3 ? kDay : 0));
  EXPECT_EQ(Reach().time, 3'998 * kSecond);
  EXPECT_EQ(Reach().num_ahead, 1'000);
}

TEST_F(EventClockTest, FollowsAStreamThatContinuesAfterAGap) {
  Come(0, kSecond, 180);
  Come(3 * kDay, kSecond, 4);
  EXPECT_EQ(Reach(), (EventClock::Reached{179 * kSecond, 4, 3 * kDay}));
  Come(3 * kDay + 4 * kSecond);
  EXPECT_EQ(Reach(), (EventClock::Reached{.time = 3 * kDay + 4 * kSecond}));
  // A straggler from before the gap changes nothing.
  Come(170 * kSecond);
  EXPECT_EQ(Reach().time, 3 * kDay + 4 * kSecond);
}

TEST_F(EventClockTest, GoesBackWhenTheOthersContinue) {
  Come(0, kSecond, 180);
  Come(kDay, kSecond, 5);
  EXPECT_EQ(Reach().time, kDay + 4 * kSecond);
  Come(180 * kSecond, kSecond, 5);
  EXPECT_EQ(Reach(), (EventClock::Reached{184 * kSecond, 5, kDay}));
}

TEST_F(EventClockTest, RowsThatAreAlwaysFarApartAreNotAhead) {
  Come(0, kDay, 10);
  EXPECT_EQ(Reach(), (EventClock::Reached{.time = 9 * kDay}));
  Come(19 * kDay);  // Ten days later.
  EXPECT_EQ(Reach().time, 19 * kDay);
  Come(kYear9999);
  EXPECT_EQ(Reach(), (EventClock::Reached{19 * kDay, 1, kYear9999}));
}

TEST_F(EventClockTest, AStreamOfFewRowsHasNoGaps) {
  Come(0, kDay, 3);
  EXPECT_EQ(Reach().time, 2 * kDay);
  Come(kYear9999);
  EXPECT_EQ(Reach().num_ahead, 1);
}

TEST_F(EventClockTest, NothingCarriesItFromThePresentIntoTheFuture) {
  Come(now_.micros - 180 * kSecond, kSecond, 180);
  Come(now_.micros + 2 * kHour, kSecond, 1'000);
  EXPECT_EQ(Reach().time, now_.micros - kSecond);
  EXPECT_EQ(Reach().num_ahead, 1'000);
  now_.micros += kHour;
  EXPECT_EQ(Reach().num_ahead, 0);
}

TEST_F(EventClockTest, FollowsAStreamWhoseTimesAreAllOfTheFuture) {
  Come(now_.micros + 30 * kDay, kSecond, 3);
  EXPECT_FALSE(Reach().time.has_value());
  Come(now_.micros + 30 * kDay + 3 * kSecond, kSecond, 3);
  EXPECT_EQ(Reach().time, now_.micros + 30 * kDay + 5 * kSecond);
}

TEST_F(EventClockTest, DependsOnTheRowsAloneAndNotOnHowTheyWereAdded) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    times_.clear();
    for (int i = 0; i < 200; ++i) {
      const int64_t jump = random() % 20 == 0 ? static_cast<int64_t>(random() % 5) * kDay : 0;
      times_.push_back(static_cast<int64_t>(random() % 7'200) * kSecond + jump);
    }
    std::vector<size_t> order(times_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::optional<EventClock::Reached> first;
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
      clock_.Reset();
      for (const size_t row : order) clock_.Add(times_[row], static_cast<int64_t>(row) + 1);
      if (!first) first = Reach();
      ASSERT_EQ(Reach(), *first);
      std::shuffle(order.begin(), order.end(), random);
    }
  }
}

TEST_F(EventClockTest, TakesTheGreatestPossibleTimes) {
  Come(std::numeric_limits<int64_t>::min());
  Come(0, kSecond, 100);
  Come(std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Reach().time, 99 * kSecond);
  EXPECT_EQ(Reach().num_ahead, 1);
}

}  // namespace
}  // namespace tidemill::supervisor

#include "engine/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tidemill::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Started Process(int64_t number, Phase phase = Phase::kRunning) {
  return {.number = number, .phase = phase};
}

TEST(PlanSteps, StartsTheLowestFreeNumbers) {
  const std::vector<Started> started = {Process(1), Process(3), Process(4, Phase::kEnding)};
  EXPECT_THAT(PlanSteps(4, Surplus::kAny, started, {}).start, ElementsAre(2, 5));
  EXPECT_TRUE(PlanSteps(2, Surplus::kAny, started, {}).empty());
}

TEST(PlanSteps, EndsThoseFirstOfWhichNothingIsLost) {
  const std::vector<Started> started = {Process(1), Process(2), Process(3),
                                        Process(4, Phase::kWaiting)};
  const std::vector<KnownMember> members = {{.number = 1}, {.number = 2, .busy = true}};
  EXPECT_THAT(PlanSteps(3, Surplus::kAny, started, members).end, ElementsAre(3));
  EXPECT_THAT(PlanSteps(2, Surplus::kAny, started, members).end, ElementsAre(3, 2));
  const Steps one = PlanSteps(1, Surplus::kAny, started, members);
  EXPECT_THAT(one.end, ElementsAre(3, 2));
  EXPECT_THAT(one.drain, ElementsAre(0));
  EXPECT_THAT(PlanSteps(0, Surplus::kAny, started, members).drain, ElementsAre(0, 1));
  EXPECT_THAT(PlanSteps(0, Surplus::kIdle, started, members).drain, ElementsAre(0));
}

TEST(PlanSteps, EndsAMemberThatTakesNoWorkOnceItHasFinished) {
  const std::vector<Started> started = {Process(1), Process(2)};
  std::vector<KnownMember> members = {{.number = 1}, {.number = 2, .draining = true, .busy = true}};
  EXPECT_TRUE(PlanSteps(1, Surplus::kAny, started, members).empty());
  members[1].busy = false;
  EXPECT_THAT(PlanSteps(1, Surplus::kAny, started, members).end, ElementsAre(1));
}

TEST(PlanSteps, ReplacesWhatEndsWhileMoreIsWanted) {
  const std::vector<Started> started = {Process(1), Process(2)};
  const std::vector<KnownMember> members = {{.number = 1},
                                            {.number = 2, .draining = true, .busy = true}};
  EXPECT_THAT(PlanSteps(2, Surplus::kAny, started, members).start, ElementsAre(3));
}

// Steps that are carried out lead to the wanted number, and then there are no more, whatever was
// there before and whatever is lost on the way.
TEST(PlanSteps, LeadsToTheWantedNumberFromAnyState) {
  std::mt19937 random(7);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<Started> started;
    std::vector<KnownMember> members;
    int64_t wanted = static_cast<int64_t>(random() % 9);
    for (int step = 0; step < 60; ++step) {
      if (step < 20 && random() % 4 == 0) wanted = static_cast<int64_t>(random() % 9);
      if (step < 20 && random() % 3 == 0 && !started.empty()) {
        const int64_t lost = started[random() % started.size()].number;
        std::erase_if(started, [&](const Started& each) { return each.number == lost; });
        std::erase_if(members, [&](const KnownMember& each) { return each.number == lost; });
      }
      const Steps steps = PlanSteps(wanted, Surplus::kAny, started, members);
      for (const size_t i : steps.drain) members[i].draining = true;
      for (const size_t i : steps.end) started[i].phase = Phase::kEnding;
      for (const int64_t number : steps.start) {
        for (const Started& each : started) ASSERT_NE(each.number, number);
        started.push_back(Process(number, Phase::kWaiting));
      }
      for (Started& each : started) {
        if (each.phase != Phase::kWaiting) continue;
        each.phase = Phase::kRunning;
        members.push_back({.number = each.number});
      }
      for (KnownMember& member : members) member.busy = step < 30 && random() % 2 == 0;
      std::erase_if(members, [&](const KnownMember& member) {
        return std::any_of(started.begin(), started.end(), [&](const Started& each) {
          return each.number == member.number && each.phase == Phase::kEnding;
        });
      });
      std::erase_if(started, [](const Started& each) { return each.phase == Phase::kEnding; });
    }
    EXPECT_EQ(static_cast<int64_t>(started.size()), wanted);
    EXPECT_TRUE(PlanSteps(wanted, Surplus::kAny, started, members).empty());
  }
}

}  // namespace
}  // namespace tidemill::engine

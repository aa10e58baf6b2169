#include "supervisor/pool/member_demand.h"

#include <gtest/gtest.h>

namespace tidemill::supervisor {
namespace {

engine::MembersConfig ConfigOf(int least, int most) {
  engine::MembersConfig config;
  config.least = least;
  config.most = most;
  config.idle = Duration{10'000'000};
  return config;
}

TEST(MemberDemand, WantsOneForEachJobThatRunsOrWaits) {
  MemberDemand demand(ConfigOf(0, 3));
  const MemberDemand::Clock::time_point now{};
  EXPECT_EQ(demand.Wanted(now, 0, {}), 0);
  EXPECT_EQ(demand.Wanted(now, 2, {}), 2);
  const std::vector<engine::KnownMember> members = {{.number = 1, .busy = true}};
  EXPECT_EQ(demand.Wanted(now, 1, members), 2);
  EXPECT_EQ(demand.Wanted(now, 7, members), 3);
  EXPECT_EQ(MemberDemand(ConfigOf(1, 3)).Wanted(now, 0, {}), 1);
}

TEST(MemberDemand, KeepsAMemberForAWhileAfterItsLastJob) {
  MemberDemand demand(ConfigOf(0, 3));
  MemberDemand::Clock::time_point now{};
  std::vector<engine::KnownMember> members = {{.number = 1, .busy = true}, {.number = 2}};
  EXPECT_EQ(demand.Wanted(now, 0, members), 2);
  members[0].busy = false;
  EXPECT_EQ(demand.Wanted(now += std::chrono::seconds(9), 0, members), 2);
  EXPECT_EQ(demand.Wanted(now += std::chrono::seconds(2), 0, members), 0);
  // It serves what waits.
  EXPECT_EQ(demand.Wanted(now, 1, members), 1);
}

}  // namespace
}  // namespace tidemill::supervisor

#include "rpc/members/members.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::rpc {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

constexpr Incarnation kFirst{.member_id = 1, .number = 1};
constexpr Incarnation kSecond{.member_id = 1, .number = 2};

class MembersTest : public ::testing::Test {
 protected:
  MembersTest() { members_.Install({.incarnation = kFirst, .name = "a"}, At(0)); }
  static Member::Clock::time_point At(int second) {
    return Member::Clock::time_point() + seconds(second);
  }
  Members<Member> members_{"worker"};
};

TEST_F(MembersTest, AMemberThatSpeaksLivesAndTakesWork) {
  ASSERT_THAT(members_.RecordHeartbeat(kFirst, At(4)), IsOk());
  EXPECT_THAT(members_.MarkSilentLost(At(9), seconds(5)), IsEmpty());
  EXPECT_TRUE(members_.TakesWork(kFirst));
}

TEST_F(MembersTest, ASilentMemberIsLostOnceAndMustRegisterAgain) {
  EXPECT_THAT(members_.MarkSilentLost(At(6), seconds(5)), ElementsAre(kFirst));
  EXPECT_THAT(members_.MarkSilentLost(At(7), seconds(5)), IsEmpty());
  EXPECT_FALSE(members_.IsAlive(kFirst));
  EXPECT_THAT(members_.RecordHeartbeat(kFirst, At(7)),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("worker a was silent for too long and is given up")));
  members_.Install({.incarnation = kSecond, .name = "a"}, At(8));
  EXPECT_THAT(members_.RecordHeartbeat(kSecond, At(9)), IsOk());
  EXPECT_THAT(members_.RecordHeartbeat(kFirst, At(9)),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("incarnation 1 of worker a")));
}

TEST_F(MembersTest, ADrainingMemberLivesAndTakesNoWork) {
  ASSERT_THAT(members_.Drain(1), IsOk());
  EXPECT_TRUE(members_.IsAlive(kFirst));
  EXPECT_FALSE(members_.TakesWork(1));
  ASSERT_THAT(members_.Drain(1, /*draining=*/false), IsOk());
  EXPECT_TRUE(members_.TakesWork(1));
  EXPECT_THAT(members_.Drain(7), StatusIs(absl::StatusCode::kNotFound, HasSubstr("worker 7")));
}

TEST_F(MembersTest, ALossThatCouldNotBeWrittenIsReturned) {
  EXPECT_TRUE(members_.MarkLost(kFirst, "was stopped"));
  EXPECT_FALSE(members_.MarkLost(kFirst, "was stopped"));
  const std::vector<Incarnation> lost = members_.TakeNewlyLost();
  EXPECT_THAT(lost, ElementsAre(kFirst));
  members_.ReturnNewlyLost(lost);
  EXPECT_THAT(members_.newly_lost(), ElementsAre(kFirst));
  EXPECT_EQ(WhyLost(*members_.Find(1)), "was stopped");
}

TEST_F(MembersTest, ALostMemberIsForgottenAfterAWhile) {
  members_.MarkLost(kFirst, "");
  EXPECT_THAT(members_.ForgetLost(At(5), seconds(5)), IsEmpty());
  EXPECT_THAT(members_.ForgetLost(At(6), seconds(5)), ElementsAre(1));
  EXPECT_EQ(members_.Find(1), nullptr);
}

}  // namespace
}  // namespace tidemill::rpc

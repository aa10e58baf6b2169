#include "supervisor/triggers/plain/ensemble_trigger.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/triggers/plain/amount_trigger.h"
#include "supervisor/triggers/plain/cost_trigger.h"
#include "supervisor/triggers/plain/never_trigger.h"
#include "supervisor/triggers/plain/time_trigger.h"
#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor {
namespace {

using testing::Decide;
using ::testing::ElementsAre;
using testing::Places;
using testing::Stream;

// A sample each microsecond.
Stream EveryMicrosecond(int64_t n) {
  Stream stream;
  for (int64_t i = 0; i < n; ++i) {
    stream.times.push_back(i);
    stream.keys.push_back(i + 1);
  }
  return stream;
}

std::vector<int64_t> Fired(const TriggerSpec& spec, const Stream& stream) {
  std::vector<Decision> fired;
  for (Decision& decision : Decide(spec, stream, 5)) {
    if (decision.fired) fired.push_back(std::move(decision));
  }
  return Places(fired, stream);
}

TriggerSpec Of(std::vector<TriggerSpec> members, VoteRule vote,
               std::optional<int64_t> at_least = std::nullopt) {
  return EnsembleTrigger{.of = std::move(members), .vote = vote, .at_least = at_least};
}

const TriggerSpec kThree = AmountTrigger{.samples = 3};
const TriggerSpec kFour = AmountTrigger{.samples = 4};
const TriggerSpec kTen = TimeTrigger{.every = "10us"};

TEST(EnsembleTrigger, FiresWithTheFirstVoteOrWithTheLast) {
  const Stream stream = EveryMicrosecond(31);
  // A training begins the counting of samples again, not the periods.
  EXPECT_THAT(Fired(Of({kFour, kTen}, VoteRule::kAny), stream),
              ElementsAre(4, 8, 10, 14, 18, 20, 24, 28, 30));
  EXPECT_THAT(Fired(Of({kFour, kTen}, VoteRule::kAll), stream), ElementsAre(10, 20, 30));
  EXPECT_THAT(Fired(Of({kThree, kFour, kTen}, VoteRule::kMajority), stream),
              ElementsAre(4, 8, 11, 15, 19, 22, 26, 30));
  EXPECT_THAT(Fired(Of({kThree, kFour, kTen}, VoteRule::kAtLeast, 3), stream),
              ElementsAre(10, 20, 30));
}

TEST(EnsembleTrigger, CountsTheVotesOfEnsemblesWithinIt) {
  const TriggerSpec either = Of({kFour, AmountTrigger{.samples = 6}}, VoteRule::kAny);
  const TriggerSpec both = Of({either, kTen}, VoteRule::kAll);
  EXPECT_THAT(Fired(both, EveryMicrosecond(31)), ElementsAre(10, 20, 30));
}

// Where a member cast the vote that counts.
Cut VoteOf(const Verdict& member) {
  return {{member.voted_at().event_time()}, {member.voted_at().sample_key()}};
}

TEST(EnsembleTrigger, ShowsWhoVotedAndSinceWhen) {
  const auto decisions = Decide(Of({kFour, kTen}, VoteRule::kAll), EveryMicrosecond(11), 1);
  ASSERT_EQ(decisions.size(), 3);
  const Verdict& refused = decisions[1].verdict;
  EXPECT_FALSE(refused.fired());
  EXPECT_EQ(refused.comparison().ShortDebugString(),
            Compared("votes", 1, 2, "votes").ShortDebugString());
  EXPECT_EQ(VoteOf(refused.members(0)), (Cut{{3}, {5}}));
  EXPECT_TRUE(refused.members(1).passed_over());
  EXPECT_FALSE(refused.members(1).has_voted_at());
  const Verdict& fired = decisions[2].verdict;
  EXPECT_TRUE(fired.fired());
  EXPECT_TRUE(fired.members(0).passed_over());
  EXPECT_EQ(VoteOf(fired.members(0)), (Cut{{3}, {5}}));
  EXPECT_EQ(VoteOf(fired.members(1)), (Cut{{10}, {0}}));
  EXPECT_EQ(fired.members(1).policy(), "time");
}

// What trainings cost reaches the policies within an ensemble.
TEST(EnsembleTrigger, TellsItsMembersWhatTrainingsTook) {
  const TriggerSpec cost = CostTrigger{.evaluate = {.samples = 5}, .accepted_delay = 1e-6};
  const auto decisions = Decide(Of({cost}, VoteRule::kAll), EveryMicrosecond(100), 7);
  ASSERT_GT(decisions.size(), 2);
  EXPECT_EQ(decisions[0].verdict.members(0).observed().at("trainings"), 0);
  EXPECT_EQ(decisions[1].verdict.members(0).observed().at("trainings"), 1);
}

TEST(EnsembleTrigger, DoesNotTrainOnNothing) {
  // The period ends between the sample that the amount fires after and the next one.
  const Stream stream{.times = {0, 1, 2, 20, 21}, .keys = {1, 2, 3, 4, 5}};
  const auto decisions = Decide(Of({kThree, kTen}, VoteRule::kAny), stream, 1);
  ASSERT_EQ(decisions.size(), 2);
  EXPECT_TRUE(decisions[0].fired);
  EXPECT_FALSE(decisions[1].fired);
  EXPECT_EQ(decisions[1].cause, v1::DECISION_CAUSE_NOTHING_NEW);
}

TEST(EnsembleTrigger, MakesTheFirstTrainingWaitForItsSamplesWhateverTheVotes) {
  const auto with_first = [](std::vector<TriggerSpec> members, int64_t first) {
    return TriggerSpec(
        EnsembleTrigger{.of = std::move(members), .vote = VoteRule::kAny, .first = first});
  };
  // Votes given before it are gone with it.
  EXPECT_THAT(Fired(with_first({kFour}, 9), EveryMicrosecond(20)), ElementsAre(9, 13, 17));
  EXPECT_THAT(Fired(with_first({kFour}, 3), EveryMicrosecond(20)), ElementsAre(3, 7, 11, 15, 19));
  EXPECT_THAT(Fired(with_first({NeverTrigger{}}, 5), EveryMicrosecond(20)), ElementsAre(5));
  // Below another ensemble any training is the first.
  EXPECT_THAT(Fired(Of({with_first({kFour}, 9), kThree}, VoteRule::kAny), EveryMicrosecond(8)),
              ElementsAre(3, 6));
}

TEST(EnsembleTrigger, SaysHowManySamplesTheFirstTrainingStillWaitsFor) {
  const TriggerSpec spec = EnsembleTrigger{.of = {kFour}, .first = 9};
  const auto decisions = Decide(spec, EveryMicrosecond(9), 2);
  ASSERT_EQ(decisions.size(), 3);
  const Verdict& waits = decisions[0].verdict;
  EXPECT_FALSE(waits.fired());
  EXPECT_TRUE(waits.members(0).fired());
  EXPECT_EQ(waits.comparison().ShortDebugString(),
            Compared("samples without a model", 4, 9, "samples").ShortDebugString());
  EXPECT_EQ(waits.nearest().ShortDebugString(), ChangeOf("first", 9, 4).ShortDebugString());
  EXPECT_EQ(spec->Explain(waits), "4 samples of the 9 that the first training waits for had come");
  EXPECT_TRUE(decisions[2].fired);
}

TEST(EnsembleTrigger, IsAsFarFromTheOtherAnswerAsItsNearestMember) {
  const auto decisions = Decide(Of({kFour, kTen}, VoteRule::kAny), EveryMicrosecond(5), 1);
  ASSERT_EQ(decisions.size(), 1);
  EXPECT_EQ(decisions[0].verdict.nearest().ShortDebugString(),
            ChangeOf("of[0].samples", 4, 4).ShortDebugString());
}

}  // namespace
}  // namespace tidemill::supervisor

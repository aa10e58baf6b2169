#include "cli/results/remarks/untrained.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

TEST(ReplacedSelections, AreCountedWithTheFirstReason) {
  v1::GetRunResponse run;
  EXPECT_EQ(DescribeReplacedSelections(run), "");
  for (int i = 0; i < 3; ++i) {
    auto& faulted = *run.add_events()->mutable_event()->mutable_selection_faulted();
    faulted.mutable_fault()->set_what("a.py:A: ValueError");
  }
  for (int i = 0; i < 4; ++i) run.add_triggers();
  EXPECT_EQ(NumReplacedSelections(run), 3);
  EXPECT_EQ(DescribeReplacedSelections(run),
            "3 of 4 selections were made in place of those of the plug-in, which failed: "
            "a.py:A: ValueError");
}

TEST(ReplacedDecisions, AreCountedOverTheirEventsWithTheFirstReason) {
  v1::GetRunResponse run;
  EXPECT_EQ(DescribeReplacedDecisions(run), "");
  for (const int count : {7, 1}) {
    auto& faulted = *run.add_events()->mutable_event()->mutable_policy_faulted();
    faulted.set_num_decisions(count);
    faulted.mutable_fault()->set_what(count == 7 ? "a.py:A: ValueError" : "another");
  }
  EXPECT_EQ(NumReplacedDecisions(run), 8);
  EXPECT_EQ(DescribeReplacedDecisions(run),
            "8 decisions were made as `on_fault` says, because the plug-in failed: "
            "a.py:A: ValueError");
  nlohmann::ordered_json json;
  AddReplaced(run, json);
  EXPECT_EQ(json["num_replaced_decisions"], 8);
  EXPECT_EQ(json["num_replaced_selections"], 0);
}

v1::GetRunResponse RunOf(int num_triggers, int64_t num_leftover) {
  v1::GetRunResponse run;
  for (int i = 1; i <= num_triggers; ++i) {
    v1::Trigger& trigger = *run.add_triggers();
    trigger.set_number(i);
    trigger.set_model_id(70 + i);
  }
  run.mutable_stream_ended()->set_num_leftover(num_leftover);
  run.mutable_stream_ended()->set_standing("1,461 new samples of the 5,000 had come");
  return run;
}

void Skip(v1::Trigger& trigger, const std::string& reason) {
  trigger.clear_model_id();
  trigger.set_skip_reason(reason);
}

TEST(Untrained, SaysHowManySamplesFollowedTheLastTrigger) {
  const v1::GetRunResponse run = RunOf(2, 312);
  EXPECT_EQ(DescribeUntrained(run),
            "  312 samples after the last trigger were not trained on: 1,461 new samples of "
            "the 5,000 had come\n");
  EXPECT_FALSE(TrainedTooLittle(run));
  EXPECT_EQ(DescribeUntrained(RunOf(2, 0)), "");
}

TEST(Untrained, WarnsWhereNoTriggerFired) {
  const v1::GetRunResponse run = RunOf(0, 1461);
  EXPECT_TRUE(TrainedTooLittle(run));
  EXPECT_EQ(DescribeUntrained(run),
            "  warning: no trigger fired, so nothing was trained: 1,461 new samples of the "
            "5,000 had come\n");
  EXPECT_EQ(UntrainedInBrief(run),
            "no trigger fired, so nothing was trained: 1,461 new samples of the 5,000 had come");
}

TEST(Untrained, SaysNothingOfARunWhoseStreamContinues) {
  v1::GetRunResponse run = RunOf(0, 12);
  run.clear_stream_ended();
  EXPECT_FALSE(TrainedTooLittle(run));
  EXPECT_EQ(DescribeUntrained(run), "");
  EXPECT_EQ(UntrainedInBrief(run), "");
}

TEST(Untrained, NamesSkippedTriggersAndCountsThoseBeyondAScreenful) {
  v1::GetRunResponse run = RunOf(13, 0);
  Skip(*run.mutable_triggers(1), "train: the loss was not a finite number");
  EXPECT_TRUE(TrainedTooLittle(run));
  EXPECT_EQ(DescribeUntrained(run),
            "  warning: trigger 2 was skipped: train: the loss was not a finite number\n");
  for (v1::Trigger& trigger : *run.mutable_triggers()) Skip(trigger, "select: nothing");
  EXPECT_THAT(DescribeUntrained(run), ::testing::HasSubstr("trigger 10 was skipped"));
  EXPECT_THAT(DescribeUntrained(run), ::testing::HasSubstr("3 more triggers were skipped"));
  EXPECT_THAT(DescribeUntrained(run), ::testing::Not(::testing::HasSubstr("trigger 11 was")));
}

TEST(Untrained, CountsInJson) {
  v1::GetRunResponse run = RunOf(2, 312);
  Skip(*run.mutable_triggers(0), "train: no memory");
  nlohmann::ordered_json json;
  AddUntrained(run, json);
  EXPECT_EQ(json["num_skipped_triggers"], 1);
  EXPECT_EQ(json["end_of_stream"]["untrained_samples"], 312);
}

}  // namespace
}  // namespace tidemill::cli

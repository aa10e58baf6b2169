#include "cli/commands/runs/decision_report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/time.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

int64_t Micros(const char* time) { return ParseTimestamp(time)->micros; }

// An ensemble of two that had one vote of two.
v1::GetDecisionResponse Refused() {
  v1::GetDecisionResponse response;
  response.mutable_run()->set_run_id(7);
  response.mutable_run()->set_pipeline_name("elec2");
  v1::Decision& decision = *response.mutable_decision();
  decision.set_number(12);
  decision.mutable_at()->set_event_time(Micros("2026-01-31"));
  decision.set_num_new(1234);
  v1::Verdict& verdict = *decision.mutable_verdict();
  verdict.set_policy("ensemble");
  verdict.set_text("1 of 2 policies had voted for a training; 2 are needed");
  (*verdict.mutable_observed())["votes"] = 1;
  verdict.mutable_comparison()->set_quantity("votes");
  verdict.mutable_comparison()->set_value(1);
  verdict.mutable_comparison()->set_threshold(2);
  verdict.mutable_comparison()->set_unit("votes");
  verdict.mutable_nearest()->set_key("accepted_delay");
  verdict.mutable_nearest()->set_from(100);
  verdict.mutable_nearest()->set_to(62.5);
  v1::Verdict& voted = *verdict.add_members();
  voted.set_policy("amount");
  voted.set_text("it did not decide here; its vote still counts");
  voted.set_passed_over(true);
  voted.mutable_voted_at()->set_event_time(Micros("2026-01-30"));
  v1::Verdict& refused = *verdict.add_members();
  refused.set_policy("cost");
  refused.set_text("waiting was cheap");
  v1::Decision& before = *response.mutable_trigger_before();
  before.set_trigger(3);
  before.mutable_at()->set_event_time(Micros("2026-01-24"));
  v1::Decision& next = *response.mutable_next();
  next.set_fired(true);
  next.set_trigger(4);
  next.mutable_at()->set_event_time(Micros("2026-02-01"));
  return response;
}

TEST(DecisionReport, ExplainsWhyNothingFired) {
  v1::GetDecisionRequest request;
  request.set_event_time(Micros("2026-01-31T12:00:00Z"));
  EXPECT_EQ(DescribeDecision(Refused(), request),
            R"(The last decision by 2026-01-31T12:00:00Z:
Run 7 (elec2) did not retrain at 2026-01-31: 1 of 2 policies had voted for a training; 2 are needed.
    yes  amount    it did not decide here; its vote still counts, given at 2026-01-30
    no   cost      waiting was cheap
  1,234 samples had come since trigger 3 at 2026-01-24.
  It would have fired with `accepted_delay` at 1 min 03 s (it is 1 min 40 s).
  The next decision was at 2026-02-01: trigger 4 fired.
)");
}

TEST(DecisionReport, NamesThePluginsAndWhatTheyRunWith) {
  v1::GetDecisionResponse response = Refused();
  response.add_plugins("a.py:A 1 (python 3.11)");
  response.add_plugins("b.so:B");
  EXPECT_THAT(DescribeDecision(response, {}),
              ::testing::HasSubstr("  With the plug-in a.py:A 1 (python 3.11); b.so:B.\n"));
  EXPECT_EQ(DecisionToJson(response)["plugins"][1], "b.so:B");
}

TEST(DecisionReport, ExplainsWhyATriggerFired) {
  v1::GetDecisionResponse response = Refused();
  response.clear_trigger_before();
  v1::Decision& decision = *response.mutable_decision();
  decision.set_fired(true);
  decision.set_trigger(1);
  v1::Verdict& verdict = *decision.mutable_verdict();
  verdict.Clear();
  verdict.set_fired(true);
  verdict.set_text("1,234 new samples had come, as many as `samples` asks for");
  verdict.mutable_nearest()->set_key("samples");
  verdict.mutable_nearest()->set_from(1234);
  verdict.mutable_nearest()->set_to(1234);
  EXPECT_EQ(
      DescribeDecision(response, {}),
      R"(Trigger 1 of run 7 (elec2) fired at 2026-01-31: 1,234 new samples had come, as many as `samples` asks for.
  1,234 samples had come since the beginning of the stream.
  It would not have fired with `samples` above 1,234.
)");
}

TEST(DecisionReport, IsEverythingAsJson) {
  const auto json = DecisionToJson(Refused());
  EXPECT_EQ(json["verdict"]["margin"], -1);
  EXPECT_EQ(json["verdict"]["members"][0]["decided_here"], false);
  EXPECT_EQ(json["verdict"]["members"][1]["voted_at"], nullptr);
  EXPECT_EQ(json["trigger"], nullptr);
  EXPECT_EQ(json["next"]["fired"], true);
}

TEST(DecisionReport, TellsOnWhichSideTheAnswerTurns) {
  v1::GetDecisionResponse response = Refused();
  v1::Verdict& verdict = *response.mutable_decision()->mutable_verdict();
  verdict.set_fired(true);
  verdict.mutable_nearest()->set_key("criterion.at");
  verdict.mutable_nearest()->set_from(0.8);
  verdict.mutable_nearest()->set_to(0.75);
  EXPECT_THAT(
      DescribeDecision(response, {}),
      ::testing::HasSubstr("would not have fired with `criterion.at` below 0.75 (it is 0.8)"));
  verdict.mutable_nearest()->set_to(0.85);
  EXPECT_THAT(DescribeDecision(response, {}), ::testing::HasSubstr("`criterion.at` above 0.85"));
}

TEST(DecisionReport, SaysHowFarThePolicyWasWhenTheStreamEndedBeforeItDecided) {
  v1::GetDecisionResponse response;
  response.mutable_run()->set_run_id(7);
  response.mutable_run()->set_pipeline_name("elec2");
  response.mutable_stream_ended()->set_num_leftover(1461);
  response.mutable_stream_ended()->set_standing(
      "1,461 new samples of the 5,000 that `samples` asks for had come");
  EXPECT_EQ(DescribeDecision(response, {}),
            R"(Run 7 (elec2) made no decision: no trigger fired, and nothing was trained.
  The stream ended with 1,461 samples that no trigger has trained on: 1,461 new samples of the 5,000 that `samples` asks for had come.
)");
  EXPECT_EQ(DecisionToJson(response)["decision"], nullptr);
  EXPECT_EQ(DecisionToJson(response)["end_of_stream"]["untrained_samples"], 1461);
}

TEST(DecisionReport, SaysThatATriggerWasSkippedAndWhy) {
  v1::GetDecisionResponse response = Refused();
  response.set_skip_reason("train: the loss was not a finite number");
  EXPECT_THAT(DescribeDecision(response, {}),
              ::testing::HasSubstr("  The trigger was skipped: train: the loss was not a finite "
                                   "number. No other model came into use.\n"));
  EXPECT_EQ(DecisionToJson(response)["skip_reason"], "train: the loss was not a finite number");
}

}  // namespace
}  // namespace tidemill::cli

#include "cli/bench/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;

results::Row Window(int64_t day, double value, int64_t samples, int64_t trigger = 1) {
  constexpr int64_t kDay = 86'400'000'000;
  results::Row row;
  row.set_dataset_name("d");
  row.mutable_from()->set_event_time(day * kDay);
  row.mutable_to()->set_event_time((day + 1) * kDay);
  row.set_measure("accuracy");
  row.set_value(value);
  row.set_num_samples(samples);
  row.set_trigger(trigger);
  return row;
}

RunFigures RunOf(std::vector<results::Row> active) {
  RunFigures run;
  run.table = std::move(active);
  for (results::Row& row : run.table) row.set_active(true);
  return run;
}

CheckOutcome JudgeOne(const std::string& yaml, const std::map<std::string, RunFigures>& runs) {
  auto check = config::Read<BenchmarkCheck>(yaml, "check");
  EXPECT_TRUE(check.ok()) << check.status();
  return JudgeChecks({*check}, runs).front();
}

TEST(ValueCheck, IsTheMeanOverTheSamplesOfASpan) {
  const RunFigures run = RunOf({Window(0, 0.1, 9), Window(1, 0.5, 10), Window(2, 0.8, 30)});
  const CheckOutcome outcome = JudgeOne(
      "{type: value, name: n, run: r, measure: accuracy, from: 1970-01-02, at_least: 0.72}",
      {{"r", run}});
  ASSERT_TRUE(outcome.value);
  EXPECT_NEAR(*outcome.value, 0.725, 1e-12);
  EXPECT_TRUE(outcome.holds);
  EXPECT_EQ(outcome.bound, ">= 0.72");
  EXPECT_FALSE(
      JudgeOne("{type: value, name: n, run: r, measure: accuracy, at_least: 0.72}", {{"r", run}})
          .holds);
}

TEST(ValueCheck, IsOfOneModelWhereItSaysSo) {
  RunFigures run;
  run.models = {{.at = {0}, .number = 1}, {.at = {1}, .number = 2}};
  run.table = {Window(0, 0.25, 4, 1), Window(0, 0.75, 4, 2)};
  const std::string check = "{type: value, name: n, run: r, measure: accuracy, at_least: 0.5, of: ";
  EXPECT_DOUBLE_EQ(*JudgeOne(check + "first}", {{"r", run}}).value, 0.25);
  EXPECT_DOUBLE_EQ(*JudgeOne(check + "last}", {{"r", run}}).value, 0.75);
}

TEST(GainCheck, IsPositiveWhenTheRunIsBetter) {
  RunFigures better = RunOf({Window(0, 2.0, 4)});
  RunFigures worse = RunOf({Window(0, 3.5, 4)});
  better.table[0].set_measure("mae");
  worse.table[0].set_measure("mae");
  results::Row rule = better.table[0];
  rule.clear_active();
  rule.set_value(1.5);
  rule.set_baseline("persistence");
  better.table.push_back(rule);
  const std::string check = "{type: gain, name: n, run: a, measure: mae, at_least: 0, ";
  EXPECT_DOUBLE_EQ(*JudgeOne(check + "over: b}", {{"a", better}, {"b", worse}}).value, 1.5);
  const CheckOutcome baseline =
      JudgeOne(check + "baseline: persistence}", {{"a", better}, {"b", worse}});
  EXPECT_DOUBLE_EQ(*baseline.value, -0.5);
  EXPECT_FALSE(baseline.holds);
}

TEST(WindowsWonCheck, ComparesTheWindowsThatBothHave) {
  const RunFigures run = RunOf({Window(0, 0.5, 4), Window(1, 0.7, 4), Window(2, 0.7, 4)});
  const RunFigures over = RunOf({Window(1, 0.6, 4), Window(2, 0.7, 4), Window(3, 0.1, 4)});
  const CheckOutcome outcome =
      JudgeOne("{type: windows_won, name: n, run: a, over: b, measure: accuracy, at_least: 1}",
               {{"a", run}, {"b", over}});
  EXPECT_EQ(*outcome.value, 1);
}

TEST(DecayCheck, IsWhatTheFirstModelLoses) {
  RunFigures run;
  run.models = {{.at = {0}, .number = 1}, {.at = {1}, .number = 2}};
  run.table = {Window(0, 0.5, 4, 1), Window(9, 0.3, 4, 1), Window(9, 0.9, 4, 2)};
  const CheckOutcome outcome = JudgeOne(
      "{type: decay, name: n, run: r, measure: accuracy, at_least: 0.1, early: {to: 1970-01-02}, "
      "late: {from: 1970-01-10}}",
      {{"r", run}});
  ASSERT_TRUE(outcome.value) << outcome.why_not;
  EXPECT_NEAR(*outcome.value, 0.2, 1e-12);
}

TEST(EqualWeightsCheck, CountsModelsThatDiffer) {
  RunFigures run;
  run.models = {{.at = {0}, .weights = "a"}, {.at = {1}, .weights = "b"}};
  RunFigures other = run;
  other.models.push_back({.at = {2}, .weights = "c"});
  const std::string check = "{type: equal_weights, name: n, run: r, over: o}";
  EXPECT_TRUE(JudgeOne(check, {{"r", run}, {"o", other}}).holds);
  other.models[1].weights = "z";
  EXPECT_EQ(*JudgeOne(check, {{"r", run}, {"o", other}}).value, 1);
}

TEST(Checks, NeedOneBound) {
  for (const std::string bounds : {"", ", at_least: 0, at_most: 1"}) {
    const auto check = config::Read<BenchmarkCheck>(
        "{type: value, name: n, run: r, measure: f1" + bounds + "}", "check");
    EXPECT_THAT(std::string(check.status().message()),
                HasSubstr("needs one of `at_least` and `at_most`"));
  }
}

TEST(Checks, SayWhyThereIsNoValue) {
  const CheckOutcome outcome =
      JudgeOne("{type: value, name: n, run: r, measure: f1, at_least: 0}", {});
  EXPECT_FALSE(outcome.value);
  EXPECT_FALSE(outcome.holds);
  EXPECT_THAT(outcome.why_not, HasSubstr("'r' was not made"));
}

}  // namespace
}  // namespace tidemill::cli

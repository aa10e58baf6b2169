#include "supervisor/requests/run_score.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::supervisor {
namespace {

// A value of trigger 1 on the window [from, from + 10).
void Fill(evaluator::v1::Evaluation& value, const std::string& measure, int64_t from, double number,
          int64_t samples) {
  value.set_trigger(1);
  value.set_dataset_name("weather");
  value.set_measure(measure);
  value.mutable_from()->set_event_time(from);
  value.mutable_to()->set_event_time(from + 10);
  value.set_value(number);
  value.set_num_samples(samples);
}

// The model of trigger 1 was in use in both windows.
v1::GetRunResponse RunWith(const std::string& measure, double first, double second) {
  v1::GetRunResponse run;
  Fill(*run.add_results(), measure, 0, first, 10);
  Fill(*run.add_results(), measure, 10, second, 30);
  for (auto& value : *run.mutable_results()) value.set_active(true);
  return run;
}

void AddBaseline(const std::string& name, const std::string& measure, double first, double second,
                 v1::GetRunResponse& run) {
  for (const auto& [from, number, samples] :
       {std::tuple(0, first, 10), std::tuple(10, second, 30)}) {
    evaluator::v1::Evaluation& value = *run.add_results();
    Fill(value, measure, from, number, samples);
    value.set_baseline(name);
  }
}

TEST(RunScore, WeighsWindowsByTheirSamples) {
  const auto score = ScoreOf(RunWith("accuracy", 0.5, 0.9));
  ASSERT_TRUE(score);
  EXPECT_DOUBLE_EQ(score->value(), 0.8);
  EXPECT_EQ(score->num_samples(), 40);
  EXPECT_EQ(score->measure(), "accuracy");
  EXPECT_EQ(score->dataset(), "weather");
  EXPECT_FALSE(score->lower_is_better());
  EXPECT_FALSE(score->is_of_last_model());
  EXPECT_FALSE(score->has_baseline());
}

TEST(RunScore, HasTheBetterRuleBesideIt) {
  v1::GetRunResponse run = RunWith("accuracy", 0.5, 0.9);
  AddBaseline("constant", "accuracy", 0.4, 0.4, run);
  AddBaseline("last", "accuracy", 0.6, 0.6, run);
  const auto score = ScoreOf(run);
  ASSERT_TRUE(score);
  EXPECT_DOUBLE_EQ(score->baseline(), 0.6);
  EXPECT_EQ(score->baseline_name(), "last");

  v1::GetRunResponse errors = RunWith("mae", 0.5, 0.9);
  AddBaseline("constant", "mae", 0.4, 0.4, errors);
  AddBaseline("last", "mae", 0.6, 0.6, errors);
  const auto error = ScoreOf(errors);
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->lower_is_better());
  EXPECT_EQ(error->baseline_name(), "constant");
}

TEST(RunScore, ComparesARuleOnTheSameWindowsOnly) {
  v1::GetRunResponse run = RunWith("accuracy", 0.5, 0.9);
  AddBaseline("constant", "accuracy", 0.2, 0.4, run);
  run.mutable_results(1)->set_active(false);  // The second window has no model in use.
  const auto score = ScoreOf(run);
  ASSERT_TRUE(score);
  EXPECT_DOUBLE_EQ(score->value(), 0.5);
  EXPECT_DOUBLE_EQ(score->baseline(), 0.2);
}

TEST(RunScore, IsThatOfTheLastModelWhereNoneWasInUse) {
  v1::GetRunResponse run = RunWith("accuracy", 0.5, 0.9);
  for (auto& value : *run.mutable_results()) value.set_active(false);
  Fill(*run.add_results(), "accuracy", 0, 0.7, 10);
  run.mutable_results()->rbegin()->set_trigger(2);
  const auto score = ScoreOf(run);
  ASSERT_TRUE(score);
  EXPECT_DOUBLE_EQ(score->value(), 0.7);
  EXPECT_TRUE(score->is_of_last_model());
}

TEST(RunScore, IsOfTheFirstMeasureThatHasAValue) {
  v1::GetRunResponse run;
  evaluator::v1::Evaluation& matrix = *run.add_results();
  Fill(matrix, "confusion_matrix", 0, 1, 10);
  evaluator::v1::Evaluation& slice = *run.add_results();
  Fill(slice, "accuracy", 0, 1, 10);
  slice.set_slice("class=UP");
  EXPECT_FALSE(ScoreOf(run));
  Fill(*run.add_results(), "f1", 0, 0.25, 10);
  run.mutable_results()->rbegin()->set_active(true);
  const auto score = ScoreOf(run);
  ASSERT_TRUE(score);
  EXPECT_EQ(score->measure(), "f1");
  EXPECT_FALSE(ScoreOf(v1::GetRunResponse()));
}

}  // namespace
}  // namespace tidemill::supervisor

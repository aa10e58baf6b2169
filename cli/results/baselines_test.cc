#include "cli/results/baselines.h"

#include <cmath>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "cli/commands/runs/comparison.h"
#include "cli/results/matrix.h"
#include "cli/results/result_tables.h"
#include "cli/results/run_json.h"
#include "cli/results/run_measures.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// Trigger 1 is in use in window 1 of 100 samples, trigger 2 in window 2 of 300.
struct Values {
  double first[2];
  double second;
  double constant[2];
  double last[2];
};

void Set(results::Row& value, int64_t trigger, int window, const std::string& measure,
         double number) {
  value.set_trigger(trigger);
  value.set_dataset_name("ratings");
  value.set_measure(measure);
  value.mutable_from()->set_event_time(10 * window);
  value.mutable_to()->set_event_time(10 * window + 10);
  value.set_num_samples(window == 0 ? 100 : 300);
  value.set_value(number);
}

supervisor::v1::GetRunResponse RunOf(const std::string& measure, const Values& values) {
  supervisor::v1::GetRunResponse run;
  run.mutable_run()->set_state(supervisor::v1::RUN_STATE_SUCCEEDED);
  for (int64_t trigger = 1; trigger <= 2; ++trigger) {
    run.add_triggers()->set_number(trigger);
    run.mutable_triggers(static_cast<int>(trigger) - 1)->set_num_samples(trigger == 1 ? 90 : 4'000);
  }
  for (int window = 0; window < 2; ++window) {
    Set(*run.add_results(), 1, window, measure, values.first[window]);
    run.mutable_results()->rbegin()->set_active(window == 0);
    const int64_t in_use = window + 1;
    Set(*run.add_results(), in_use, window, measure, values.constant[window]);
    run.mutable_results()->rbegin()->set_baseline("constant");
    Set(*run.add_results(), in_use, window, measure, values.last[window]);
    run.mutable_results()->rbegin()->set_baseline("last");
  }
  Set(*run.add_results(), 2, 1, measure, values.second);
  run.mutable_results()->rbegin()->set_active(true);
  return run;
}

std::string HeadlineOf(const supervisor::v1::GetRunResponse& run) {
  return Headline(run, ResultTables(run));
}

constexpr Values kWorseThanTheMean = {
    .first = {3, 3.3}, .second = 2, .constant = {1.1, 1}, .last = {1.5, 1.4}};
constexpr Values kBetter = {
    .first = {.7, .6}, .second = .9, .constant = {.5, .5}, .last = {.6, .95}};

TEST(Baselines, AreOnTheSamplesOfTheModelsInUse) {
  const auto run = RunOf("accuracy", kBetter);
  const auto baselines = BaselinesOf(run, {0, "ratings", "accuracy"});
  ASSERT_THAT(baselines, SizeIs(3));
  EXPECT_EQ(baselines[0].name, "constant");
  EXPECT_DOUBLE_EQ(*baselines[0].reached.Mean(), .5);
  EXPECT_DOUBLE_EQ(*baselines[0].models.Mean(), (.7 + 3 * .9) / 4);
  EXPECT_FALSE(baselines[0].Wins());
  EXPECT_EQ(baselines[1].name, "last");
  EXPECT_DOUBLE_EQ(*baselines[1].reached.Mean(), (.6 + 3 * .95) / 4);
  EXPECT_TRUE(baselines[1].Wins());
  EXPECT_EQ(baselines[2].name, "first");
  EXPECT_DOUBLE_EQ(*baselines[2].reached.Mean(), (.7 + 3 * .6) / 4);
  EXPECT_EQ(baselines[2].rule, "the first model, trained on 90 samples and never retrained");
}

TEST(Baselines, CountOnlyWindowsOnWhichTheModelHasAValueToo) {
  auto run = RunOf("accuracy", kBetter);
  run.mutable_results()->rbegin()->clear_value();
  const auto baselines = BaselinesOf(run, {0, "ratings", "accuracy"});
  ASSERT_THAT(baselines, SizeIs(2)) << "the first model is compared with nothing but itself";
  EXPECT_EQ(baselines[1].reached.num_samples(), 100);
  EXPECT_DOUBLE_EQ(*baselines[1].reached.Mean(), .6);
}

TEST(Baselines, OfAWholeDatasetAreShownBesideTheLastModel) {
  auto run = RunOf("accuracy", kBetter);
  for (auto& row : *run.mutable_results()) row.clear_active();
  const auto baselines = BaselinesOf(run, {0, "ratings", "accuracy"});
  ASSERT_THAT(baselines, SizeIs(2));
  EXPECT_DOUBLE_EQ(*baselines[0].models.Mean(), (.7 + 3 * .9) / 4);
}

// The first triggers may have been skipped.
TEST(FirstModel, SawTheSamplesOfItsOwnTrigger) {
  const auto run = RunOf("accuracy", kBetter);
  EXPECT_EQ(DescribeFirstModel(run, 2),
            "the first model, trained on 4,000 samples and never retrained");
  EXPECT_EQ(DescribeFirstModel(run, 7), "the first model, never retrained");
}

TEST(Headline, SaysWhenModelsLoseToAConstantAndDoesNotPraiseRetraining) {
  const std::string headline = HeadlineOf(RunOf("rmse", kWorseThanTheMean));
  EXPECT_THAT(headline,
              HasSubstr("The models lose to a rule without a model: always predicting the "
                        "mean known at each training would have had 1.026"));
  EXPECT_THAT(headline, HasSubstr("The first model, trained on 90 samples and never retrained, "
                                  "would have had 3.228."));
  EXPECT_THAT(headline, Not(HasSubstr("better")));
}

TEST(Headline, TellsBothBaselinesAndWhatRetrainingWasWorth) {
  EXPECT_THAT(
      HeadlineOf(RunOf("accuracy", kBetter)),
      AllOf(HasSubstr("reached accuracy 85.0 % on ratings"),
            HasSubstr("The models lose to a rule without a model: repeating the last label "
                      "known would have had 86.2 %."),
            HasSubstr("Always predicting the most frequent class known at each training would "
                      "have had 50.0 %."),
            HasSubstr("trained on 90 samples and never retrained, would have had 62.5 %: "
                      "retraining was worth +22.5 points.")));
}

TEST(Baselines, AreBelowTheMatrixInTheJsonAndInComparisons) {
  const auto run = RunOf("rmse", kWorseThanTheMean);
  EXPECT_THAT(
      DrawMatrices(run, View()),
      HasSubstr("\n  beside it, on the same samples: always predicting the mean known at each "
                "training 1.0259 (better than the models); repeating the last label known "
                "1.4257 (better than the models); the first model, trained on 90 samples "
                "and never retrained 3.2276\n"));
  const auto json = RunToJson(run)["baselines"];
  ASSERT_THAT(json, SizeIs(3));
  EXPECT_EQ(json[0]["baseline"], "constant");
  EXPECT_EQ(json[0]["wins"], true);
  EXPECT_DOUBLE_EQ(json[0]["value"].get<double>(), std::sqrt((1.1 * 1.1 + 3) / 4));
  EXPECT_EQ(json[0]["samples"], 400);
  EXPECT_EQ(json[2]["baseline"], "first");
  EXPECT_THAT(DescribeComparison({run}, {}), HasSubstr("rmse on ratings, baseline constant"));
}

TEST(Baselines, KeepToTheWidthOfATerminal) {
  const auto run = RunOf("rmse", kWorseThanTheMean);
  std::istringstream text(DrawMatrices(run, {.is_terminal = true, .width = 60, .height = 24}));
  size_t lines = 0;
  for (std::string line; std::getline(text, line); ++lines) EXPECT_LE(line.size(), 60U) << line;
  EXPECT_LE(lines, 24U);
}

TEST(Series, OfRootsArePooledAndSaySo) {
  const std::string text = DrawMatrices(RunOf("rmse", kWorseThanTheMean), View());
  EXPECT_THAT(text, HasSubstr("2.2913 pooled, over 400 samples")) << "the mean of roots is 2.25";
  EXPECT_THAT(DrawMatrices(RunOf("roc_auc", kBetter), View()),
              HasSubstr("0.8500 mean over windows, over 400 samples"));
}

TEST(Matrix, SaysPercentByTheMeasureAndNotByItsValues) {
  EXPECT_THAT(DrawMatrices(RunOf("log_loss", kBetter), View()), Not(HasSubstr("in %")));
  EXPECT_THAT(DrawMatrices(RunOf("accuracy", kBetter), View()), HasSubstr("in %"));
}

}  // namespace
}  // namespace tidemill::cli

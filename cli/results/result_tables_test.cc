#include "cli/results/result_tables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "cli/run_directory/testing/example_run.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

supervisor::v1::GetRunResponse WithMeasure(const std::string& measure, double factor) {
  auto run = testing::ExampleRun("p", 4).run;
  for (auto& row : *run.mutable_results()) {
    row.set_measure(measure);
    row.set_value(row.value() * factor);
  }
  return run;
}

TEST(ResultTables, HaveARowForEachModelAndAColumnForEachWindow) {
  const auto run = testing::ExampleRun("p", 4).run;
  const auto tables = ResultTables(run);
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables[0].triggers, ElementsAre(1, 2, 3));
  EXPECT_THAT(tables[0].windows, SizeIs(4));
  EXPECT_THAT(tables[0].active, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(tables[0].trained, ElementsAre(1, 2, 3, 0));
  EXPECT_EQ(tables[0].At(1, 3)->value(), 0.625);  // Three days off in eight.
  EXPECT_EQ(tables[0].At(3, 2)->value(), 1);
  EXPECT_TRUE(tables[0].share);
}

TEST(ResultTables, HoldWhatWasMeasuredAndNotEachModelOnEachWindow) {
  constexpr int kModels = 3'000;
  supervisor::v1::GetRunResponse run;
  for (int64_t model = 1; model <= kModels; ++model) {
    results::Row& value = *run.add_results();
    value.set_trigger(model);
    value.set_measure("accuracy");
    value.set_value(0.5);
    value.mutable_from()->set_event_time(model);
    value.mutable_to()->set_event_time(model + 1);
  }
  const auto tables = ResultTables(run);
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables[0].windows, SizeIs(kModels));
  for (const auto& row : tables[0].cells) EXPECT_THAT(row, SizeIs(1));
  EXPECT_EQ(tables[0].At(7, 6)->value(), 0.5);
  EXPECT_EQ(tables[0].At(7, 7), nullptr);
}

TEST(ResultTables, LeaveOutSlicesAndConfusionMatrices) {
  auto run = testing::ExampleRun("p", 3).run;
  const auto first = run.results(0);
  *run.add_results() = first;
  run.mutable_results()->rbegin()->set_slice("class=rain");
  run.mutable_results()->rbegin()->set_value(0.1);
  *run.add_results() = first;
  run.mutable_results()->rbegin()->set_measure("confusion_matrix");
  run.mutable_results()->rbegin()->clear_value();
  const auto tables = ResultTables(run);
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_EQ(tables[0].At(1, 0)->value(), 1);
}

TEST(ResultTables, CompareTheModelsInUseWithTheFirst) {
  const auto run = testing::ExampleRun("p", 4).run;
  const auto tables = ResultTables(run);
  EXPECT_EQ(ActiveMean(tables[0])->value, 0.875);
  EXPECT_EQ(ActiveMean(tables[0])->num_samples, 300);
  const auto comparison = CompareWithFirst(tables[0]);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->active.value, 0.875);
  EXPECT_EQ(comparison->first.value, 0.75);  // (7 + 6 + 5) / 24.
}

TEST(ResultTables, CompareNothingWhenTheFirstModelWasAlwaysInUse) {
  const auto run = testing::ExampleRun("p", 2).run;
  EXPECT_FALSE(CompareWithFirst(ResultTables(run)[0]));
}

TEST(ResultTables, WeighWindowsByTheirSamples) {
  auto run = testing::ExampleRun("p", 3).run;
  for (auto& value : *run.mutable_results()) {
    if (value.to().event_time() == results::Active(run.results())[0]->to().event_time())
      value.set_num_samples(300);
    if (value.trigger() == 1) value.set_value(0.5);
    if (value.trigger() == 2) value.set_value(1);
  }
  EXPECT_EQ(ActiveMean(ResultTables(run)[0])->value, (3 * 0.5 + 1) / 4);
}

TEST(Headline, SaysWhatTheModelsInUseReachedAndWhatRetrainingWasWorth) {
  const auto run = testing::ExampleRun("p", 4).run;
  EXPECT_THAT(Headline(run, ResultTables(run)), HasSubstr("reached accuracy 87.5 % on days"));
  EXPECT_THAT(Headline(run, ResultTables(run)), HasSubstr("75.0 %: retraining was worth +12.5"));
}

// The model of a handful of samples is not a yardstick for others.
TEST(Headline, DoesNotPraiseRetrainingBesideAModelOfAHandfulOfSamples) {
  auto run = testing::ExampleRun("p", 4).run;
  run.mutable_triggers(0)->set_num_samples(4);
  const std::string headline = Headline(run, ResultTables(run));
  EXPECT_THAT(headline, HasSubstr("The first model, trained on 4 samples and never retrained, "
                                  "would have had 75.0 %: so few samples do not show"));
  EXPECT_THAT(headline, Not(HasSubstr("retraining was worth +")));
}

TEST(Headline, KnowsThatErrorsShouldBeSmall) {
  const auto run = WithMeasure("mae", 8);
  const auto tables = ResultTables(run);
  EXPECT_TRUE(tables[0].lower_is_better);
  EXPECT_THAT(Headline(run, tables), HasSubstr("reached mae 7 on days"));
  EXPECT_THAT(Headline(run, tables), HasSubstr("6: retraining made it 17 % worse"));
}

TEST(Headline, ReportsTheLastModelWhereNoneWasEverInUse) {
  auto run = testing::ExampleRun("p", 4).run;
  testing::ClearSeries(run);
  // Model 3 is off by 2, 1, 0 and 1 days, model 1 by 0, 1, 2 and 3.
  EXPECT_EQ(
      Headline(run, ResultTables(run)),
      "The last model reached accuracy 87.5 % on days, over 400 samples, on some of which it "
      "may have been trained. The first model, trained on 80 samples and never retrained, would "
      "have had 81.2 %.");
}

TEST(Headline, TellsTheIntervalOfTheMean) {
  auto run = testing::ExampleRun("p", 3).run;
  for (auto& value : *run.mutable_results()) {
    value.set_low(value.value() - 0.04);
    value.set_high(value.value() + 0.03);
  }
  // Two windows of equal weight: the distances are 0.04 / sqrt(2) and 0.03 / sqrt(2).
  EXPECT_THAT(Headline(run, ResultTables(run)), HasSubstr("accuracy 83.3 % [80.5 %, 85.5 %] on"));
}

TEST(Headline, TellsWhyARunFailed) {
  auto run = testing::ExampleRun("p", 3).run;
  run.mutable_run()->set_state(supervisor::v1::RUN_STATE_FAILED);
  run.mutable_run()->set_error("the loss is not a number");
  EXPECT_EQ(Headline(run, {}), "The run failed: the loss is not a number");
}

}  // namespace
}  // namespace tidemill::cli

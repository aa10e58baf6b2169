#include "cli/run_directory/report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "cli/run_directory/report_data.h"
#include "cli/run_directory/report_tables.h"
#include "cli/run_directory/testing/example_run.h"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ReportPage, LoadsNothing) {
  const std::string page = ReportPage(testing::ExampleRun("p", 4));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(ContainsRegex("(src|href) *= *[\"']")));
  EXPECT_THAT(page, Not(ContainsRegex("@import|url\\(")));
}

TEST(ReportPage, ShowsWhatUsersWroteAsText) {
  const std::string evil = "<script>alert(1)</script>\"'&{{data}}";
  RunRecord record = testing::ExampleRun(evil, 3);
  record.run.set_pipeline_text("# </script><!-- \xff " + evil);
  record.run.mutable_run()->set_error("<img src=x onerror=alert(1)>");
  record.run.mutable_run()->set_state(supervisor::v1::RUN_STATE_FAILED);
  const std::string page = ReportPage(record);
  EXPECT_EQ(Count(page, "<script"), 2);  // The data and the script of the page itself.
  EXPECT_EQ(Count(page, "</script"), 2);
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<img")), Not(HasSubstr("<!--"))));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;{{data}}"));
}

TEST(ReportData, HasTheSeriesAndTheirMeans) {
  const auto data = ReportData(testing::ExampleRun("p", 4));
  const auto& table = data.at("tables").at(0);
  EXPECT_EQ(table.at("means").at("active").at("value"), 0.875);
  EXPECT_EQ(table.at("means").at("first").at("value"), 0.75);
  EXPECT_TRUE(table.at("active").at(0).is_null());
  EXPECT_EQ(table.at("active").at(3).at(3), 3);  // The trigger of the model.
  EXPECT_EQ(table.at("first").at(3).at(0), 0.625);
  EXPECT_EQ(table.at("matrix").at("values").at(0).at(3), 0.625);
  EXPECT_EQ(data.at("triggers").at(2).at("curve").size(), 3);
  EXPECT_EQ(data.at("density").at("bins").size(), 3);
}

TEST(ReportData, HasWhatLimitedEachTraining) {
  RunRecord record = testing::ExampleRun("p", 3);
  record.run.mutable_triggers(1)->mutable_result()->set_verdict("limit: op resize");
  const auto data = ReportData(record);
  EXPECT_EQ(data.at("triggers").at(0).at("verdict"), "");
  EXPECT_EQ(data.at("triggers").at(1).at("verdict"), "limit: op resize");
}

TEST(ReportData, HasWhatEachTrainingDecidedAboutKeepingSamples) {
  RunRecord record = testing::ExampleRun("p", 4);
  EXPECT_TRUE(ReportData(record).at("kept_samples").at("trainings").empty());
  auto& nothing = *record.run.mutable_triggers(0)->mutable_result()->mutable_prepared();
  nothing.set_reason("no sample is expected to be used again");
  auto& kept = *record.run.mutable_triggers(1)->mutable_result()->mutable_prepared();
  kept.set_kept_after("op 2 (resize)");
  kept.set_measured_speedup(5.12);
  auto& point = *kept.add_points();
  point.set_op("op 2 (resize)");
  point.set_speedup(5.3);
  kept.set_chosen(1);
  *record.run.mutable_triggers(2)->mutable_result()->mutable_prepared() = kept;
  record.run.mutable_triggers(2)->mutable_reused_from()->set_run_id(1);
  const auto samples = ReportData(record).at("kept_samples");
  ASSERT_EQ(samples.at("trainings").size(), 2U) << "a reused training decides nothing";
  EXPECT_TRUE(samples.at("trainings").at(0).at("kept_after").is_null());
  EXPECT_EQ(samples.at("trainings").at(1).at("predicted_speedup"), 5.3);
  EXPECT_EQ(samples.at("trainings").at(1).at("measured_speedup"), 5.12);
  EXPECT_EQ(samples.at("compared_by"), record.run.triggers(1).number());
  EXPECT_EQ(samples.at("points").at(0).at("op"), "op 2 (resize)");
}

TEST(ReportData, StaysSmallForRunsOfAnyLength) {
  const RunRecord record = testing::ExampleRun("p", 260);
  const auto data = ReportData(record);
  const auto& matrix = data.at("tables").at(0).at("matrix");
  EXPECT_EQ(matrix.at("triggers").size(), 200);
  EXPECT_EQ(matrix.at("windows").size(), 200);
  EXPECT_EQ(matrix.at("of"), nlohmann::ordered_json({259, 260}));
  EXPECT_EQ(matrix.at("triggers").back(), 259);
  EXPECT_EQ(data.at("tables").at(0).at("windows").size(), 260);
  EXPECT_LT(ReportPage(record).size(), 1'000'000U);
}

TEST(ReportData, TakesTheDensityFromStorageWhenItTells) {
  RunRecord record = testing::ExampleRun("p", 3);
  record.run.set_pipeline_resolved("");
  auto& interval = *record.statistics[""].add_intervals();
  interval.set_from(1'000'000);
  interval.set_to(3'000'000);
  interval.set_num_samples(5);
  EXPECT_EQ(ReportData(record).at("density").at("bins"),
            nlohmann::ordered_json::array({nlohmann::ordered_json::array({1000, 3000, 5})}));
}

TEST(ReportData, JoinsTheBinsOfVeryManyDecisions) {
  RunRecord record = testing::ExampleRun("p", 2);
  const supervisor::v1::Decision decision = record.run.decisions(0);
  for (int i = 1; i < 10'000; ++i) *record.run.add_decisions() = decision;
  int64_t samples = 0;
  const auto data = ReportData(record);
  for (const auto& bin : data.at("density").at("bins")) samples += bin.at(2).get<int64_t>();
  EXPECT_LE(data.at("density").at("bins").size(), 2'000U);
  EXPECT_GE(samples, 100 * (10'000 - 6));  // What follows the last whole bin is still open.
  EXPECT_EQ(data.at("decisions").at("rows").size(), 2'000U);
  EXPECT_EQ(data.at("decisions").at("total"), 10'000);
}

TEST(ReportData, HasWhatEachPolicyComparedWhereItSaidNoAtLeastOnce) {
  RunRecord record = testing::ExampleRun("p", 2);
  for (int i = 0; i < 5; ++i) {
    auto& decision = *record.run.add_decisions();
    decision.mutable_at()->set_event_time(1'000'000 * (i + 1));
    decision.set_fired(i >= 3);
    auto& verdict = *decision.mutable_verdict();
    verdict.set_policy("ensemble");
    verdict.set_fired(i >= 3);
    auto& always = *verdict.add_members();
    always.set_policy("amount");
    always.set_fired(true);
    always.mutable_comparison()->set_value(5);
    auto& drift = *verdict.add_members();
    drift.set_policy("drift");
    drift.set_fired(i >= 3);
    drift.set_passed_over(i == 1 || i == 4);
    drift.mutable_comparison()->set_quantity("score");
    drift.mutable_comparison()->set_value(0.1 * (i + 1));
    drift.mutable_comparison()->set_threshold(0.25);
    if (i > 0) continue;
    drift.mutable_comparison()->set_quantity("samples of the current window");
    drift.mutable_comparison()->set_threshold(100);
  }
  const auto compared = ReportData(record).at("compared");
  ASSERT_EQ(compared.size(), 2U);
  EXPECT_EQ(compared.at(0).at("policy"), "of[1]: drift");
  EXPECT_EQ(compared.at(0).at("quantity"), "score");
  EXPECT_EQ(compared.at(0).at("points").dump(), "[[3000,0.3,0.25,false],[4000,0.4,0.25,true]]");
  EXPECT_EQ(compared.at(1).at("quantity"), "samples of the current window");
  EXPECT_EQ(compared.at(1).at("points").dump(), "[[1000,0.1,100.0,false]]");
}

TEST(ReportData, NamesClassesByTheirNumberSoThatColoursAreThoseOfOtherReports) {
  RunRecord record = testing::ExampleRun("p", 3);
  auto& set = record.training_sets.emplace_back();
  set.set_trigger(1);
  set.set_num_samples(60);
  const auto add = [&](int64_t label, int64_t chosen) {
    auto& entry = *set.mutable_summary()->add_classes();
    entry.set_class_label(label);
    entry.set_num_chosen(chosen);
  };
  add(4, 10);
  add(1, 20);
  auto& unlabelled = *set.mutable_summary()->add_classes();
  unlabelled.set_num_chosen(30);
  const auto selections = ReportData(record).at("selections");
  EXPECT_EQ(selections.at("class_numbers").dump(), "[1,4,null]");
  EXPECT_EQ(selections.at("classes").dump(), R"(["1","4","none"])");
  EXPECT_EQ(selections.at("rows").at(0).at("shares").dump(), "[0.33333333,0.16666667,0.5]");
}

// However often what was waited for let it fire, the score comes first.
TEST(ReportData, ShowsScoresBeforeWhatAPolicyWaitedFor) {
  RunRecord record = testing::ExampleRun("p", 2);
  for (int i = 0; i < 4; ++i) {
    auto& decision = *record.run.add_decisions();
    decision.mutable_at()->set_event_time(1'000'000 * (i + 1));
    auto& verdict = *decision.mutable_verdict();
    verdict.set_policy("drift");
    verdict.set_fired(i == 1);
    (*verdict.mutable_observed())["score"] = 0.5;
    verdict.mutable_comparison()->set_quantity("samples to find a threshold with");
    verdict.mutable_comparison()->set_value(100 * i);
    verdict.mutable_comparison()->set_threshold(100);
    verdict.mutable_comparison()->set_waiting(true);
  }
  const auto compared = ReportData(record).at("compared");
  ASSERT_EQ(compared.size(), 2U);
  EXPECT_EQ(compared.at(0).at("quantity"), "score, without a threshold");
  EXPECT_EQ(compared.at(0).at("points").at(0).dump(), "[1000,0.5,null,false]");
  EXPECT_EQ(compared.at(1).at("quantity"), "samples to find a threshold with");
  EXPECT_EQ(compared.at(1).at("waiting"), true);
}

TEST(ReportData, SaysWhichTriggersWereSkippedAndWhatWasLeftUntrained) {
  RunRecord record = testing::ExampleRun("p", 3);
  auto& skipped = *record.run.mutable_triggers(1);
  skipped.clear_model_id();
  skipped.set_skip_reason("train: the loss was not a finite number");
  record.run.mutable_stream_ended()->set_num_leftover(312);
  const auto data = ReportData(record);
  EXPECT_EQ(data.at("triggers").at(1).at("skip_reason"), "train: the loss was not a finite number");
  EXPECT_EQ(data.at("untrained").at("text"),
            "trigger 2 was skipped: train: the loss was not a finite number; 312 samples after the "
            "last trigger were not trained on");
  EXPECT_EQ(data.at("untrained").at("too_little"), true);
}

TEST(ReportData, SaysAboutAnEndedRunThatNoTriggerFired) {
  RunRecord record = testing::ExampleRun("p", 2);
  record.run.clear_triggers();
  record.run.clear_results();
  record.run.mutable_run()->set_state(supervisor::v1::RUN_STATE_RUNNING);
  EXPECT_EQ(ReportData(record).at("headline"), "No trigger has fired yet.");
  record.run.mutable_run()->set_state(supervisor::v1::RUN_STATE_SUCCEEDED);
  record.run.mutable_stream_ended()->set_num_leftover(1461);
  EXPECT_EQ(ReportData(record).at("headline"),
            "The run is over and no trigger fired, so no model was trained.");
}

TEST(SlicesOf, MeanOverTheWindowsOfTheModelsInUse) {
  auto run = testing::ExampleRun("p", 4).run;
  const auto whole = run.results();
  for (const auto& value : whole) {
    auto& slice = *run.add_results();
    slice = value;
    slice.set_slice("class=<b>");
    slice.set_num_samples(10);
  }
  const auto slices = SlicesOf(run);
  ASSERT_EQ(slices.size(), 1);
  const auto& row = slices.at(0).at("rows").at(0);
  EXPECT_EQ(row.at("slice"), "class=<b>");
  EXPECT_EQ(row.at("samples"), 30);
  EXPECT_EQ(row.at("value"), 0.875);
}

// On a whole dataset no model is in use.
TEST(SlicesOf, AreThoseOfTheLastTriggerThatHasAModelWhereNoneIsInUse) {
  auto run = testing::ExampleRun("p", 4).run;
  testing::ClearSeries(run);
  run.mutable_triggers(2)->clear_model_id();
  run.mutable_triggers(2)->set_skip_reason("train: the loss was not a finite number");
  const auto whole = run.results();
  run.clear_results();
  for (const auto& value : whole) {
    if (value.trigger() == 3) continue;
    auto& slice = *run.add_results();
    slice = value;
    slice.set_slice("class=a");
    slice.set_value(value.trigger() == 2 ? 0.75 : 0.25);
  }
  const auto slices = SlicesOf(run);
  ASSERT_EQ(slices.size(), 1);
  const auto& row = slices.at(0).at("rows").at(0);
  EXPECT_EQ(row.at("value"), 0.75);
  EXPECT_EQ(row.at("samples"), 400);
}

TEST(ConfusionsOf, SumUpTheWindowsOfTheModelsInUse) {
  auto run = testing::ExampleRun("p", 3).run;
  const auto whole = run.results();
  for (const auto& value : whole) {
    auto& confusion = *run.add_results();
    confusion = value;
    confusion.set_measure("confusion_matrix");
    confusion.clear_value();
    confusion.set_detail(R"({"classes": ["a", "b"], "counts": [[5, 1], [2, 8]]})");
  }
  const auto confusions = ConfusionsOf(run);
  ASSERT_EQ(confusions.size(), 1);
  EXPECT_EQ(confusions.at(0).at("counts").dump(), "[[10,2],[4,16]]");
}

}  // namespace
}  // namespace tidemill::cli

#include "cli/results/selections/selection_report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/testing/status_matchers.h"
#include "cli/results/selections/selection_json.h"
#include "cli/run_directory/report_selections.h"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::tidemill::testing::StatusIs;

const std::vector<std::string> kClasses = {"DOWN", "UP"};

selector::v1::TrainingSet SetOf(int64_t trigger) {
  selector::v1::TrainingSet set;
  set.set_run_id(7);
  set.set_trigger(trigger);
  set.set_num_samples(40);
  set.set_num_candidates(1000);
  set.set_weighted(true);
  selector::v1::SelectionSummary& summary = *set.mutable_summary();
  summary.set_policy("balanced");
  summary.set_num_shared(8);
  summary.set_num_previous(trigger > 1 ? 40 : 0);
  summary.set_num_fresh(30);
  summary.set_effective_size(33.4);
  summary.add_remarks("something to know");
  for (const int64_t label : {1, 0}) {
    auto& entry = *summary.add_classes();
    entry.set_class_label(label);
    entry.set_num_candidates(400);
    entry.set_num_chosen(16);
  }
  auto& none = *summary.add_classes();
  none.set_num_candidates(100);
  none.set_num_chosen(4);
  auto& rest = *summary.add_classes();
  rest.set_is_rest(true);
  rest.set_num_candidates(100);
  rest.set_num_chosen(4);
  auto& time = *summary.add_times();
  time.set_from(1'600'000'000'000'000);
  time.set_to(1'600'000'001'000'000);
  time.set_num_candidates(1000);
  time.set_num_chosen(40);
  return set;
}

TEST(SelectionReport, HasALineForEachTrigger) {
  supervisor::v1::GetRunResponse run;
  auto& trigger = *run.add_triggers();
  trigger.set_number(1);
  trigger.mutable_result()->mutable_downsampling()->set_method("margin");
  trigger.mutable_result()->mutable_downsampling()->set_num_samples(100);
  trigger.mutable_result()->mutable_downsampling()->add_epochs()->set_num_chosen(20);
  trigger.mutable_result()->mutable_downsampling()->add_epochs()->set_num_chosen(30);
  selector::v1::TrainingSet old = SetOf(3);
  old.clear_summary();
  const std::string text = DescribeSelections(run, {SetOf(1), SetOf(2), old});
  EXPECT_THAT(text, AllOf(HasSubstr("1,000"), HasSubstr("balanced"), HasSubstr("33")));
  EXPECT_THAT(text, AllOf(HasSubstr("margin"), HasSubstr("25.0 %")));
  run.clear_triggers();
  EXPECT_THAT(DescribeSelections(run, {SetOf(1)}), Not(HasSubstr("DOWNSAMPLING")));
}

TEST(SelectionReport, TellsAllOfOneSet) {
  const std::string text = DescribeSelection(SetOf(2), kClasses);
  EXPECT_THAT(text, AllOf(HasSubstr("40 of 1,000 candidates"), HasSubstr("20.0 %"),
                          HasSubstr("something to know"), HasSubstr("UP"), HasSubstr("none"),
                          HasSubstr("others"), HasSubstr("33 samples of equal weight")));
}

TEST(SelectionReport, IsJson) {
  const auto json = SelectionToJson(SetOf(2), kClasses);
  EXPECT_EQ(json.at("shared"), 8);
  EXPECT_EQ(json.at("classes").at(0).at("name"), "UP");
  EXPECT_TRUE(json.at("classes").at(2).at("class").is_null());
  EXPECT_EQ(json.at("classes").at(3).at("class"), "others");
  EXPECT_TRUE(json.at("objective").is_null());
  EXPECT_EQ(json.at("times").at(0).at("chosen"), 40);
}

TEST(SelectionReport, ComparesTwoSets) {
  selector::v1::CompareTrainingSetsResponse comparison;
  *comparison.mutable_first() = SetOf(2);
  *comparison.mutable_second() = SetOf(3);
  comparison.mutable_counts()->set_num_only_first(32);
  comparison.mutable_counts()->set_num_both(8);
  comparison.mutable_counts()->set_num_only_second(33);
  comparison.set_num_forgotten(2);
  auto& entry = *comparison.add_classes();
  entry.set_class_label(1);
  entry.mutable_counts()->set_num_both(8);
  const std::string text = DescribeComparison(comparison, kClasses);
  EXPECT_THAT(text, AllOf(HasSubstr("ONLY IN 7/2"), HasSubstr("ONLY IN 7/3"), HasSubstr("UP"),
                          HasSubstr("no longer in the dataset")));
  const auto json = ComparisonToJson(comparison, kClasses);
  EXPECT_EQ(json.at("only_second"), 33);
  EXPECT_EQ(json.at("classes").at(0).at("both"), 8);
}

TEST(ReportSelections, GivesSharesOfTheMostFrequentClasses) {
  RunRecord record;
  for (int64_t trigger = 1; trigger <= 2; ++trigger) record.training_sets.push_back(SetOf(trigger));
  const auto data = SelectionsOf(record);
  EXPECT_EQ(data.at("classes"), nlohmann::json({"0", "1", "none", "others"}));
  EXPECT_EQ(data.at("rows").at(1).at("shares"), nlohmann::json({0.4, 0.4, 0.1, 0.1}));
  EXPECT_EQ(data.at("total"), 2);
}

}  // namespace
}  // namespace tidemill::cli

#include "cli/results/worth.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "cli/results/result_tables.h"
#include "cli/run_directory/testing/example_run.h"

namespace tidemill::cli {
namespace {

using supervisor::v1::GetRunResponse;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const MeasureStyle kShare = {.is_share = true};
const MeasureStyle kError = {.lower_is_better = true};

OutcomeDifference DifferenceOf(double models, double other, double low, double high) {
  OutcomeDifference difference;
  difference.set_dataset_name("days");
  difference.set_measure("accuracy");
  difference.set_than("first");
  difference.set_models(models);
  difference.set_other(other);
  difference.set_low(low);
  difference.set_high(high);
  difference.set_num_samples(1161);
  difference.set_share(1);
  return difference;
}

std::string HeadlineWith(const OutcomeDifference& difference) {
  GetRunResponse run = testing::ExampleRun("p", 4).run;
  *run.mutable_outcomes()->add_differences() = difference;
  return Headline(run, ResultTables(run));
}

TEST(Differences, OfSharesAreInPoints) {
  EXPECT_EQ(ShowDifference(DifferenceOf(0.77, 0.703, 0.041, 0.092), kShare),
            "+6.7 points [+4.1, +9.2]");
  EXPECT_EQ(ShowDifference(DifferenceOf(0.70, 0.7, -0.011, 0.017), kShare),
            "0.0 points [−1.1, +1.7]");
}

TEST(Differences, OfErrorsAreSharesOfTheOthersErrorAndPositiveWhereTheModelsAreBetter) {
  const OutcomeDifference less = DifferenceOf(74, 100, -34, -17);
  EXPECT_EQ(ShowDifference(less, kError), "+26.0 % [+17.0 %, +34.0 %]");
  EXPECT_TRUE(IsBetter(less, kError));
  EXPECT_TRUE(IsBeyondChance(less));
}

TEST(Differences, OfOtherMeasuresAreInTheirUnit) {
  EXPECT_EQ(ShowDifference(DifferenceOf(0.62, 0.5, 0.08, 0.16), {}), "+0.12 [+0.08, +0.16]");
  EXPECT_EQ(ShowDifference(DifferenceOf(20, 15, 2, 8), {.unit = "EUR"}), "+5 EUR [+2, +8]");
}

TEST(Differences, WithoutAnIntervalAreNotBeyondChance) {
  OutcomeDifference few = DifferenceOf(0.8, 0.7, 0, 0);
  few.clear_low();
  few.clear_high();
  EXPECT_FALSE(IsBeyondChance(few));
  EXPECT_EQ(ShowDifference(few, kShare), "+10.0 points");
}

TEST(Headline, SaysWhatRetrainingWasWorthWithItsInterval) {
  EXPECT_THAT(HeadlineWith(DifferenceOf(0.875, 0.75, 0.08, 0.17)),
              HasSubstr("retraining was worth +12.5 points [+8.0, +17.0] over the 1,161 samples "
                        "that both have."));
}

TEST(Headline, SaysWhereTheWorthMayBeChance) {
  EXPECT_THAT(HeadlineWith(DifferenceOf(0.753, 0.75, -0.011, 0.017)),
              HasSubstr("+0.3 points [−1.1, +1.7] over the 1,161 samples that both have, which may "
                        "be chance."));
}

TEST(Headline, SaysThatSamplesWereDrawn) {
  OutcomeDifference drawn = DifferenceOf(0.875, 0.75, 0.08, 0.17);
  drawn.set_share(0.25);
  EXPECT_THAT(HeadlineWith(drawn), HasSubstr("over 1,161 of the samples that both have"));
}

TEST(Headline, HasNoIntervalForARunOfBefore) {
  OutcomeDifference unknown;
  unknown.set_measure("accuracy");
  unknown.set_than("first");
  unknown.set_missing("what models said about samples was not kept");
  EXPECT_THAT(HeadlineWith(unknown),
              AllOf(HasSubstr("retraining was worth +12.5 points"), Not(HasSubstr("["))));
}

TEST(DescribeDifferences, ListsEachDifferenceAndWhyOneIsUnknown) {
  GetRunResponse run = testing::ExampleRun("p", 4).run;
  EXPECT_EQ(DescribeDifferences(run, {}), "");
  *run.mutable_outcomes()->add_differences() = DifferenceOf(0.7, 0.8, -0.13, -0.07);
  OutcomeDifference& last = *run.mutable_outcomes()->add_differences();
  last.set_measure("f1_macro");
  last.set_than("last");
  last.set_missing("no answers");
  EXPECT_THAT(
      DescribeDifferences(run, {}),
      AllOf(HasSubstr("the first model, never retrained"), HasSubstr("−10.0 points [−13.0, −7.0]"),
            HasSubstr("worse"), HasSubstr("not compared: f1_macro"), HasSubstr("no answers")));
  const auto json = DifferencesToJson(run.outcomes().differences());
  EXPECT_NEAR(json.at(0).at("difference").get<double>(), -0.1, 1e-12);
  EXPECT_EQ(json.at(0).at("beyond_chance"), true);
  EXPECT_EQ(json.at(1).at("missing"), "no answers");
}

TEST(DescribeImportances, ShowsTheMostImportantColumnsAndWhatMayBeChance) {
  GetRunResponse run = testing::ExampleRun("p", 4).run;
  auto& importances = *run.mutable_outcomes()->add_importances();
  importances.set_measure("mae");
  importances.set_dataset_name("days");
  importances.set_trigger(3);
  importances.set_num_samples(500);
  importances.set_num_columns_left_out(7);
  const auto add = [&](const std::string& name, double exchanged, double low, double high) {
    auto& column = *importances.add_columns();
    column.set_column(name);
    column.set_intact(2);
    column.set_exchanged(exchanged);
    column.set_low(low);
    column.set_high(high);
  };
  add("wind", 3, -1.2, -0.8);
  add("rain", 2.01, -0.03, 0.01);
  EXPECT_THAT(DescribeImportances(run, {}),
              AllOf(HasSubstr("wind"), HasSubstr("may be chance"), HasSubstr("500 samples"),
                    HasSubstr("7 columns were not looked at")));
  const auto json = ImportancesToJson(run).at(0).at("columns");
  EXPECT_EQ(json.at(0).at("loss"), 1);
  EXPECT_EQ(json.at(0).at("low"), 0.8);
  EXPECT_EQ(json.at(0).at("beyond_chance"), true);
  EXPECT_EQ(json.at(1).at("beyond_chance"), false);
}

TEST(DriftedColumns, AreThoseOfDecisionsThatSaidYes) {
  GetRunResponse run = testing::ExampleRun("p", 2).run;
  EXPECT_TRUE(DriftedColumnsToJson(run).empty()) << "no policy looks at columns";
  run.set_pipeline_resolved(
      "trigger:\n  type: ensemble\n  of:\n  - type: amount\n    samples: 5\n"
      "  - type: drift\n    of: columns\n    columns: [wind, rain]\n    statistic: {type: ks}\n");
  run.clear_decisions();
  for (int i = 0; i < 4; ++i) {
    auto& decision = *run.add_decisions();
    decision.mutable_at()->set_event_time(1'000'000 * i);
    decision.set_trigger(i == 2 ? 1 : 0);
    auto& verdict = *decision.mutable_verdict();
    verdict.set_policy("ensemble");
    verdict.add_members()->set_policy("amount");
    auto& drift = *verdict.add_members();
    drift.set_policy("drift");
    drift.set_fired(i >= 2);
    (*drift.mutable_observed())["column"] = i == 3 ? 0 : 1;
    (*drift.mutable_observed())["score"] = 0.1 * i;
    drift.mutable_comparison()->set_threshold(0.15);
  }
  const auto drifted = DriftedColumnsToJson(run).at(0);
  EXPECT_EQ(drifted.at("policy"), "of[1]: drift");
  EXPECT_EQ(drifted.at("statistic"), "ks");
  EXPECT_EQ(drifted.at("decisions"), 4);
  EXPECT_EQ(drifted.at("drifted"), 2);
  ASSERT_EQ(drifted.at("columns").size(), 2);
  EXPECT_EQ(drifted.at("columns").at(1).at("column"), "wind");
  EXPECT_EQ(drifted.at("columns").at(0).at("column"), "rain");
  EXPECT_EQ(drifted.at("columns").at(0).at("triggers").dump(), "[1]");
}

}  // namespace
}  // namespace tidemill::cli

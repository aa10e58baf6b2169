#include "cli/bench/comparison_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nlohmann/json.hpp"

#include "cli/bench/bench_report.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

results::Row Scored(int64_t trigger, int64_t begin, double value) {
  results::Row row;
  row.set_dataset_name("d");
  row.mutable_from()->set_event_time(begin);
  row.mutable_to()->set_event_time(begin + 10);
  row.set_measure("accuracy");
  row.set_value(value);
  row.set_num_samples(100);
  row.set_trigger(trigger);
  row.set_active(true);
  return row;
}

results::Row OfRule(const std::string& rule, results::Row row, double value) {
  row.set_baseline(rule);
  row.set_value(value);
  row.set_active(false);
  return row;
}

RunFigures ThreeTrainings() {
  RunFigures figures;
  figures.seconds = 9;
  figures.deciding_seconds = 0.5;
  figures.models = {{.at = {0},
                     .number = 1,
                     .num_samples = 50,
                     .num_visited = 100,
                     .stage_seconds = {{"train", 4}},
                     .training_set = "set",
                     .weights = "weights"},
                    {.at = {10},
                     .number = 2,
                     .num_samples = 60,
                     .num_visited = 120,
                     .stage_seconds = {{"select", 0.25}, {"train", 1}}},
                    {.at = {20},
                     .number = 3,
                     .num_samples = 70,
                     .num_visited = 140,
                     .stage_seconds = {{"select", 0.5}, {"train", 2}}}};
  figures.table = {Scored(1, 0, 0.5), Scored(2, 10, 0.6), Scored(3, 20, 0.8)};
  for (size_t i = 0; i < 3; ++i) figures.table.push_back(OfRule("constant", figures.table[i], 0.4));
  figures.table.push_back(OfRule("last", figures.table[2], 0.3));
  return figures;
}

ComparisonSpec AccuracyOf(JudgedWindows judged) {
  ComparisonSpec comparison;
  comparison.name = "policies";
  comparison.measure = "accuracy";
  comparison.judged = judged;
  comparison.same_first_model = true;
  comparison.variants.resize(2);
  comparison.variants[0].name = "one";
  comparison.variants[1].name = "two";
  return comparison;
}

TEST(ComparisonRun, OfModelsInUseCountsAllTrainingsAndTheWindowsFromATimeOn) {
  ComparisonSpec comparison = AccuracyOf(JudgedWindows::kActive);
  comparison.from = Timestamp{10};
  const auto run = JudgeRun(comparison, ThreeTrainings());
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_DOUBLE_EQ(run->value, 0.7);
  EXPECT_EQ(run->num_judged, 200);
  EXPECT_EQ(run->num_trainings, 3);
  EXPECT_EQ(run->num_trained, 180);
  EXPECT_EQ(run->num_visited, 360);
  EXPECT_DOUBLE_EQ(run->training_seconds, 7);
  EXPECT_DOUBLE_EQ(run->selecting_seconds, 0.75);
  // `last` has no value on one of the windows.
  EXPECT_THAT(run->baselines, ElementsAre(Pair("constant", 0.4)));
  EXPECT_EQ(run->first_model, "1970-01-01T00:00:00Z set weights");
}

TEST(ComparisonRun, AfterTheFirstTrainingCountsNothingOfThat) {
  const auto run = JudgeRun(AccuracyOf(JudgedWindows::kAfterFirst), ThreeTrainings());
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_DOUBLE_EQ(run->value, 0.7);
  EXPECT_EQ(run->num_trained, 130);
  EXPECT_EQ(run->num_visited, 260);
  EXPECT_DOUBLE_EQ(run->training_seconds, 3);
}

TEST(ComparisonRun, OfAllModelsCountsEachOfThem) {
  RunFigures figures = ThreeTrainings();
  for (results::Row& row : figures.table) row.set_active(false);
  const auto run = JudgeRun(AccuracyOf(JudgedWindows::kAll), figures);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_NEAR(run->value, 1.9 / 3, 1e-12);
  EXPECT_EQ(run->num_trained, 180);
}

TEST(ComparisonRun, WithoutAValueIsRefused) {
  EXPECT_EQ(JudgeRun(AccuracyOf(JudgedWindows::kActive), {}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(ComparisonRun, IsReadAsItWasStored) {
  const ComparisonSpec comparison = AccuracyOf(JudgedWindows::kActive);
  ComparisonRun run = *JudgeRun(comparison, ThreeTrainings());
  run.seed = 42;
  run.money = 0.25;
  run.currency = "EUR";
  const nlohmann::ordered_json json = ComparisonRunToJson(run);
  const auto read = ComparisonRunFromJson(json);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ComparisonRunToJson(*read), json);
}

TEST(ComparisonRun, OfAnotherFormIsRefused) {
  for (const char* text : {"7", "{}", R"({"value": "high"})", R"({"value": 1, "samples": 0.5})",
                           R"({"value": 1, "baselines": {"last": []}})"}) {
    EXPECT_EQ(ComparisonRunFromJson(nlohmann::ordered_json::parse(text)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

class AlikeTest : public ::testing::Test {
 protected:
  AlikeTest() {
    entry_.spec.name = "small";
    entry_.spec.comparisons = {AccuracyOf(JudgedWindows::kActive)};
  }

  // The report of the first seed of both variants and the second seed of one.
  EntryReport ReportWith(const ComparisonRun& changed) {
    auto results = ResultsFile::Open(::testing::TempDir() + "/alike.jsonl");
    const ComparisonRun run{.seed = 1, .value = 0.5, .num_judged = 10, .first_model = "a"};
    const ComparisonRun other{.seed = 2, .value = 0.5, .num_judged = 10, .first_model = "b"};
    const std::pair<std::string, ComparisonRun> cases[] = {
        {"policies/one/1", run}, {"policies/one/2", other}, {"policies/two/1", changed}};
    for (const auto& [name, own] : cases) {
      EXPECT_TRUE(
          results->Add({{"case", name}, {"digest", ""}, {"run", ComparisonRunToJson(own)}}).ok());
    }
    return ReportOf(entry_, *results);
  }

  SuiteEntry entry_;
};

TEST_F(AlikeTest, RunsOnTheSameSamplesFromTheSameFirstModelAreAlike) {
  const EntryReport report =
      ReportWith({.seed = 1, .value = 0.7, .num_judged = 10, .first_model = "a"});
  EXPECT_THAT(report.unlike, IsEmpty());
  EXPECT_TRUE(AllHold(report));
}

TEST_F(AlikeTest, AnotherFirstModelOrOtherSamplesFailTheComparison) {
  const EntryReport report =
      ReportWith({.seed = 1, .value = 0.7, .num_judged = 10, .first_model = "z"});
  EXPECT_THAT(report.unlike, ElementsAre(HasSubstr("two with seed 1 began with another model")));
  EXPECT_FALSE(AllHold(report));
  EXPECT_THAT(ReportWith({.seed = 1, .value = 0.7, .num_judged = 9, .first_model = "a"}).unlike,
              ElementsAre(HasSubstr("was judged on 9 samples instead of 10")));
}

}  // namespace
}  // namespace tidemill::cli

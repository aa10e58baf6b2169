#include "cli/commands/runs/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using supervisor::v1::GetRunResponse;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two windows of 100 and 300 samples.
GetRunResponse RunWith(int64_t id, double first, double second, const std::string& pipeline) {
  GetRunResponse run;
  run.mutable_run()->set_run_id(id);
  run.mutable_run()->set_pipeline_name("p");
  run.mutable_run()->set_state(supervisor::v1::RUN_STATE_SUCCEEDED);
  run.set_pipeline_resolved(pipeline);
  for (const auto& [value, samples] : {std::pair(first, 100), std::pair(second, 300)}) {
    auto* trigger = run.add_triggers();
    trigger->set_num_samples(samples);
    (*trigger->mutable_stage_seconds())["train"] = 1.25;
    auto* active = run.add_results();
    active->set_active(true);
    active->set_measure("accuracy");
    active->set_dataset_name("d");
    active->set_value(value);
    active->set_num_samples(samples);
    active->mutable_from()->set_event_time(samples);
    active->mutable_to()->set_event_time(samples + 1);
  }
  return run;
}

TEST(Comparison, DifferencesAreOfMeansWeightedPerSample) {
  const Runs runs = {RunWith(1, 0.4, 0.8, "a: 1\n"), RunWith(2, 0.8, 0.8, "a: 1\n")};
  const nlohmann::ordered_json json = ComparisonToJson(runs, {});
  EXPECT_DOUBLE_EQ(json["runs"][0]["measures"][0]["mean"], 0.7);
  EXPECT_DOUBLE_EQ(json["runs"][1]["measures"][0]["mean"], 0.8);
  EXPECT_NEAR(json["runs"][1]["measures"][0]["difference"], 0.1, 1e-12);
  EXPECT_EQ(json["runs"][1]["samples"], 400);
  EXPECT_EQ(json["runs"][1]["stages"]["train"], 2.5);
  EXPECT_TRUE(json["config"].empty());
  EXPECT_THAT(DescribeComparison(runs, {}),
              AllOf(HasSubstr("accuracy on d, active"), HasSubstr("0.7000"),
                    HasSubstr("0.8000 (+0.1000)"), HasSubstr("The pipelines are the same")));
}

TEST(Comparison, SaysWhereTheSamplesAreOthers) {
  GetRunResponse fewer = RunWith(2, 0.8, 0.8, "");
  fewer.mutable_active(1)->set_num_samples(276);
  GetRunResponse later = RunWith(3, 0.4, 0.9, "");
  later.mutable_active(1)->mutable_to()->set_event_time(500);
  const Runs runs = {RunWith(1, 0.4, 0.8, ""), fewer, later, RunWith(4, 0.4, 0.7, "")};
  EXPECT_THAT(
      DescribeComparison(runs, {}),
      AllOf(HasSubstr("0.8000 (+0.1000, over 376 samples, not 400)"),
            HasSubstr("0.7750 (+0.0750, over other windows)"), HasSubstr("0.6250 (-0.0750)")));
  const nlohmann::ordered_json json = ComparisonToJson(runs, {});
  EXPECT_TRUE(json["runs"][0]["measures"][0]["same_samples"]);
  EXPECT_FALSE(json["runs"][1]["measures"][0]["same_samples"]);
  EXPECT_FALSE(json["runs"][2]["measures"][0]["same_samples"]);
}

TEST(Comparison, NamesThePluginsOfEachRun) {
  Runs runs = {RunWith(1, 0.4, 0.8, ""), RunWith(2, 0.8, 0.8, "")};
  runs[0].add_plugins("a.py:A 1 (python 3.11)");
  runs[1].add_plugins("a.py:A 2 (python 3.12)");
  EXPECT_THAT(
      DescribeComparison(runs, {}),
      AllOf(HasSubstr("plug-ins"), HasSubstr("A 1 (python 3.11)"), HasSubstr("A 2 (python 3.12)")));
  EXPECT_EQ(ComparisonToJson(runs, {})["runs"][1]["plugins"][0], "a.py:A 2 (python 3.12)");
}

TEST(Comparison, IntervalsOfWindowsBecomeOneOfTheMean) {
  GetRunResponse run = RunWith(1, 0.5, 0.5, "");
  for (auto& value : *run.mutable_results()) {
    value.set_low(0.4);
    value.set_high(0.6);
  }
  // sqrt((100 * .1)^2 + (300 * .1)^2) / 400
  const nlohmann::ordered_json json = ComparisonToJson({run, run}, {});
  EXPECT_NEAR(json["runs"][0]["measures"][0]["high"], 0.5 + 0.0790569, 1e-6);
  EXPECT_NEAR(json["runs"][0]["measures"][0]["low"], 0.5 - 0.0790569, 1e-6);
}

TEST(Comparison, AMeasureThatARunLacksHasNoDifference) {
  GetRunResponse without = RunWith(2, 0.5, 0.5, "");
  without.clear_results();
  const Runs runs = {without, RunWith(1, 0.5, 0.5, "")};
  EXPECT_TRUE(ComparisonToJson(runs, {})["runs"][1]["measures"][0]["difference"].is_null());
  EXPECT_THAT(DescribeComparison(runs, {}), HasSubstr("-"));
}

TEST(Comparison, PipelinesAreComparedKeyByKey) {
  const auto differences = DiffConfigs({"training: {epochs: 2, lr: 0.1}\ngraph: [{a: 1}, {b: 2}]\n",
                                        "training: {epochs: 3, lr: 0.1}\ngraph: [{a: 1}]\n"});
  ASSERT_EQ(differences.size(), 2);
  EXPECT_EQ(differences[0].key, "graph[1].b");
  EXPECT_THAT(differences[0].values, ElementsAre("2", "-"));
  EXPECT_EQ(differences[1].key, "training.epochs");
  EXPECT_THAT(differences[1].values, ElementsAre("2", "3"));
}

}  // namespace
}  // namespace tidemill::cli

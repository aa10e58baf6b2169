#include "cli/commands/runs/matched_datasets.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "cli/commands/runs/comparison.h"

namespace tidemill::cli {
namespace {

using supervisor::v1::GetRunResponse;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Pipeline(const std::string& trained, const std::vector<std::string>& measured) {
  std::string text = fmt::format(R"(version: 1
name: p
datasets: {{a: , b: , c: , d: }}
preprocess:
  dataset: {}
  graph: [{{label: {{into: target}}}}]
model: {{type: mlp, hidden: [8], outputs: 2}}
trigger: {{type: amount, samples: 50}}
selection: new_data
training: {{epochs: 2, batch_size: 16, optimizer: adam, loss: cross_entropy, seed: 7}}
evaluation:
)",
                                 trained);
  for (const std::string& dataset : measured) {
    text += fmt::format("  - {{dataset: {}, windows: between_triggers, measures: [accuracy]}}\n",
                        dataset);
  }
  return text;
}

GetRunResponse RunOn(const std::string& trained, const std::vector<std::string>& measured) {
  GetRunResponse run;
  run.set_pipeline_resolved(Pipeline(trained, measured));
  for (const std::string& dataset : measured) {
    auto* active = run.add_results();
    active->set_active(true);
    active->set_measure("accuracy");
    active->set_dataset_name(dataset);
    active->set_value(trained == "a" ? 0.5 : 0.75);
    active->set_num_samples(100);
  }
  return run;
}

TEST(MatchDatasets, MatchesWhatIsTrainedOnAndTheEvaluationsByPlace) {
  const auto matches = MatchDatasets(RunOn("c", {"c", "d"}), RunOn("a", {"a", "b"}));
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_EQ(matches.at("c").name, "a");
  EXPECT_EQ(matches.at("c").part, "the dataset that is trained on");
  EXPECT_EQ(matches.at("d").name, "b");
  EXPECT_EQ(matches.at("d").part, "the dataset of evaluation 2");
}

TEST(MatchDatasets, FindsWhatIsTrainedOnAtAnyPlace) {
  const auto matches = MatchDatasets(RunOn("c", {"b", "c"}), RunOn("a", {"a", "b"}));
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches.at("c").name, "a");
}

TEST(MatchDatasets, LeavesEqualNamesAndOtherPartsAlone) {
  EXPECT_THAT(MatchDatasets(RunOn("a", {"a", "b"}), RunOn("a", {"a", "b"})), IsEmpty());
  // Held out in one run, and trained on in the other.
  EXPECT_THAT(MatchDatasets(RunOn("c", {"c"}), RunOn("a", {"b"})), IsEmpty());
  // The first run's dataset has another part in the second run.
  EXPECT_THAT(MatchDatasets(RunOn("c", {"c", "a"}), RunOn("a", {"a", "b"})), IsEmpty());
  EXPECT_THAT(MatchDatasets(GetRunResponse(), RunOn("a", {"a"})), IsEmpty());
}

TEST(MatchDatasets, PutsMeasuresOfAComparisonInOneLine) {
  Runs runs = {RunOn("a", {"a"}), RunOn("c", {"c"})};
  runs[0].mutable_run()->set_run_id(7);
  runs[1].mutable_run()->set_run_id(8);
  const std::string text = DescribeComparison(runs, {});
  EXPECT_THAT(text, HasSubstr("0.7500 (+0.2500)"));
  EXPECT_THAT(text, HasSubstr("c of run 8 is compared with a of run 7: each is the dataset that is "
                              "trained on there\n"));
  const auto json = ComparisonToJson(runs, {});
  EXPECT_EQ(json["runs"][1]["measures"][0]["dataset"], "c");
  EXPECT_EQ(json["runs"][1]["measures"][0]["difference"], 0.25);
  EXPECT_EQ(json["runs"][1]["matched_datasets"].dump(),
            R"([{"dataset":"c","with":"a","part":"the dataset that is trained on"}])");
  EXPECT_FALSE(json["runs"][0].contains("matched_datasets"));
}

}  // namespace
}  // namespace tidemill::cli

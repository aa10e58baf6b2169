// Evaluations find what trainings and other evaluations have prepared: scores are the same to the
// last bit, and samples are prepared once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fmt/format.h"

#include "tests/photos.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;

constexpr int kTrained = 120;
constexpr int kTested = 80;
constexpr char kAfter[] = "{type: after, op: resize}";

constexpr char kMatrix[] = R"(version: 1
name: matrix
datasets:
{}{}preprocess:
  dataset: trained
  graph:
{}    - standardize: {{columns: [image]}}
    - reshape: {{column: image, shape: [192]}}
    - stack: {{columns: [image], into: input}}
    - label: {{into: target}}
trigger: {{type: amount, samples: 60}}
selection: {{type: all_data}}
model: {{type: mlp, hidden: [8], outputs: 2}}
training: {{epochs: 2, batch_size: 16, seed: 5}}
evaluation:
  - dataset: trained
    windows: {{type: whole}}
    models: all
    measures: &measures [accuracy, log_loss, roc_auc]
  - {{dataset: tested, windows: {{type: slices, every: 30s}}, models: all, measures: *measures}}
  - {{dataset: tested, windows: {{type: whole}}, models: all, measures: *measures}}
)";

// A stack with a pipeline of two models, each of which has learned other numbers, that are
// measured on the samples that they were trained on and on others.
class PreparedEvaluations : public ::testing::Test {
 protected:
  PreparedEvaluations() {
    for (int i = 0; i < kTrained; ++i) Write("trained", i, i);
    for (int i = 0; i < kTested; ++i) Write("tested", i, 1000 + i);
    std::ofstream(stack_.files() + "/tested/007.png") << "damaged";
    std::ofstream(pipeline_) << fmt::format(kMatrix, PhotosDataset(stack_.files(), "trained"),
                                            PhotosDataset(stack_.files(), "tested"), kPhotosOps);
    const CommandResult up = stack_.Tidemill({"up"});
    EXPECT_EQ(up.exit_code, 0) << up.err << stack_.Logs();
  }

  void Write(const std::string& folder, int number, int seed) const {
    WritePhoto(stack_.files() + "/" + folder, number, static_cast<uint32_t>(seed));
  }

  // Runs the pipeline, and returns what `runs show` tells about it.
  nlohmann::json Run(const std::string& cache) const {
    const CommandResult run =
        stack_.Tidemill({"run", pipeline_, "--json", "--set", "training.cache=" + cache});
    EXPECT_EQ(run.exit_code, 8) << "one file is damaged: " << run.err << stack_.Logs();
    const std::string id = std::to_string(run.Json().at("run").get<int64_t>());
    const CommandResult shown = stack_.Tidemill({"runs", "show", id, "--json"});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    return shown.Json();
  }
  // The results, without what names the models.
  static std::string ScoresOf(const nlohmann::json& run) {
    nlohmann::json scores = run.at("evaluations");
    EXPECT_FALSE(scores.empty());
    for (auto& score : scores) score.erase("model");
    return scores.dump();
  }
  static std::pair<int, int> FoundOf(const nlohmann::json& run, size_t evaluation) {
    const nlohmann::json& counts = run.at("evaluations_prepared").at(evaluation);
    EXPECT_EQ(counts.at("at_workers"), 0);
    return {counts.at("found").get<int>(), counts.at("at_evaluator").get<int>()};
  }

  Stack stack_;
  const std::string pipeline_ = stack_.files() + "/pipeline.yaml";
};

TEST_F(PreparedEvaluations, HaveTheSameScoresAndPrepareSamplesOnce) {
  const nlohmann::json without = Run("off");
  EXPECT_TRUE(without.at("evaluations_prepared").empty());
  const nlohmann::json first = Run(kAfter);
  EXPECT_EQ(ScoresOf(first), ScoresOf(without));
  EXPECT_EQ(FoundOf(first, 0), std::pair(kTrained, kTrained)) << "what trainings have kept";
  EXPECT_EQ(FoundOf(first, 1), std::pair(0, kTested));
  EXPECT_EQ(FoundOf(first, 2), std::pair(kTested, kTested)) << "by the evaluation before";
  const nlohmann::json second = Run(kAfter);
  EXPECT_EQ(ScoresOf(second), ScoresOf(without));
  for (const size_t evaluation : {1, 2}) {
    EXPECT_EQ(FoundOf(second, evaluation), std::pair(kTested, kTested));
  }
  const CommandResult shown =
      stack_.Tidemill({"runs", "show", std::to_string(second.at("run").get<int64_t>())});
  EXPECT_THAT(shown.out, HasSubstr("evaluation 2: 80 of 80 samples were found prepared"));
  EXPECT_EQ(ScoresOf(Run("auto")), ScoresOf(without));
}

TEST_F(PreparedEvaluations, NeverUseARowOfADeletedOrChangedRecord) {
  Run(kAfter);
  const auto records =
      stack_.Tidemill({"datasets", "records", "tested", "--where", "@file = '008.png'", "--json"});
  ASSERT_EQ(records.exit_code, 0) << records.err;
  const std::string key = std::to_string(
      nlohmann::json::parse(records.out).at("records").at(0).at("key").get<int64_t>());
  const CommandResult deleted =
      stack_.Tidemill({"datasets", "delete", "tested", "--keys", key, "--yes"});
  ASSERT_EQ(deleted.exit_code, 0) << deleted.err;
  Write("tested", 9, 5000);
  std::ofstream(stack_.files() + "/tested/010.number") << 1 << "\n";
  const nlohmann::json with = Run(kAfter);
  EXPECT_EQ(ScoresOf(with), ScoresOf(Run("off")));
  EXPECT_LT(FoundOf(with, 1).first, FoundOf(with, 1).second);
}

}  // namespace
}  // namespace tidemill::tests

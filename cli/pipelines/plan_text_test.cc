#include "cli/pipelines/plan_text.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "cli/pipelines/pipeline_file.h"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tidemill::testing::IsOk;

// The plan of images that are cropped last. There are no images, so nothing is measured.
absl::StatusOr<supervisor::GraphPlan> PlanOfImages() {
  std::string folder = ::testing::TempDir() + "plan_text_XXXXXX";
  const std::filesystem::path data = mkdtemp(folder.data());
  PipelineFile file{.name = "images.yaml", .folder = data, .text = R"(
version: 1
name: images
datasets:
  images:
    path: .
    files: "*.bin"
    format: {type: binary, record_bytes: 49}
    event_time: {row: {start: 2026-06-21T12:00:00Z, step: 1s}}
    label: {record: {offset: 48, width: 1}}
preprocess:
  dataset: images
  graph:
    - parse_record: {fields: [{name: image, shape: [3, 4, 4]}]}
    - cast: {columns: [image], dtype: float32}
    - clip: {columns: [image], min: 0, max: 255}
    - crop: {height: 2, width: 2}
    - reshape: {column: image, shape: [12]}
    - stack: {columns: [image], into: input}
    - label: {into: target}
model: {type: mlp, hidden: [8], outputs: 2}
trigger: {type: amount, samples: 50}
selection: new_data
training: {epochs: 1, batch_size: 4, optimizer: {type: adam, lr: 1e-3}, loss: cross_entropy, seed: 7}
evaluation:
  - dataset: images
    windows: {type: between_triggers}
    measures: [accuracy]
)"};
  std::ofstream(data / "one.bin") << std::string(49, '\0');
  const supervisor::CheckedPipeline checked = CheckPipelineFile(file);
  std::filesystem::remove_all(data);
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  return supervisor::PlanGraph(checked);
}

constexpr char kMoved[] =
    "op 4 (crop) runs before op 2 (cast): together they read and make 120 bytes of a sample's "
    "image instead of 480, and the numbers are the same";
constexpr char kRemoved[] = "op 3 (clip) is left out: all numbers are within the bounds already";

TEST(PlanText, ShowsTheOpsAsWrittenAndAsTheyRunWithTheReasons) {
  absl::StatusOr<supervisor::GraphPlan> plan = PlanOfImages();
  ASSERT_THAT(plan, IsOk());
  plan->costs.reset();
  plan->no_costs = "the disk is full";
  const std::string text = DescribePlan(*plan, {});
  EXPECT_THAT(text, HasSubstr("AS WRITTEN      STAGE\n"
                              "1 parse_record      1\n"
                              "2 cast              1\n"
                              "3 clip              1\n"
                              "4 crop              1\n"
                              "5 reshape           2\n"));
  EXPECT_THAT(text, HasSubstr("AS IT RUNS      STAGE\n"
                              "1 parse_record      1\n"
                              "4 crop              1\n"
                              "2 cast              1\n"
                              "5 reshape           2\n"));
  EXPECT_THAT(text, AllOf(HasSubstr(kMoved), HasSubstr(kRemoved),
                          HasSubstr("No cost was measured: the disk is full\n")));
}

TEST(PlanText, ShowsPredictedAndMeasuredCostsSideBySide) {
  absl::StatusOr<supervisor::GraphPlan> plan = PlanOfImages();
  ASSERT_THAT(plan, IsOk());
  const transform::OpCost cost{.microseconds = 0.25, .bytes_read = 48, .bytes_made = 1920.4};
  const transform::GraphCosts written{.ops = std::vector<transform::OpCost>(7, cost),
                                      .predicted_microseconds = 1.5,
                                      .measured_microseconds = 1.625};
  const transform::GraphCosts running{.ops = std::vector<transform::OpCost>(7, cost),
                                      .predicted_microseconds = 0.5,
                                      .measured_microseconds = 0.75};
  plan->costs = transform::CostComparison{.num_samples = 7,
                                          .block_rows = 1024,
                                          .num_rounds = 9,
                                          .written = written,
                                          .running = running};
  const std::string text = DescribePlan(*plan, {});
  EXPECT_THAT(
      text, AllOf(HasSubstr("AS WRITTEN      STAGE  US/SAMPLE  BYTES IN  BYTES OUT\n"
                            "1 parse_record      1       0.25        48      1,920\n"),
                  HasSubstr("US/SAMPLE   PREDICTED  MEASURED\n"
                            "as written        1.5     1.625\n"
                            "as it runs        0.5      0.75\n"),
                  HasSubstr("Medians of 9 rounds in turn"),
                  HasSubstr("a block of 1,024 rows made of 7 samples"), Not(HasSubstr("No cost"))));
  const nlohmann::ordered_json json = PlanToJson(*plan);
  EXPECT_EQ(json["cost"]["as_it_runs"]["measured_microseconds"], 0.75);
  EXPECT_EQ(json["as_it_runs"][1]["cost"]["bytes_in"], 48);
  EXPECT_TRUE(json["no_cost"].is_null());
}

TEST(PlanText, HasAllOfItInJson) {
  absl::StatusOr<supervisor::GraphPlan> plan = PlanOfImages();
  ASSERT_THAT(plan, IsOk());
  plan->costs.reset();
  plan->no_costs = "the disk is full";
  const nlohmann::ordered_json json = PlanToJson(*plan);
  EXPECT_EQ(json["as_written"].size(), 7);
  EXPECT_EQ(json["as_it_runs"].size(), 6);
  EXPECT_EQ(json["as_it_runs"][1]["op"], 4);
  EXPECT_EQ(json["as_it_runs"][1]["reads"][0]["dtype"], "uint8");
  EXPECT_EQ(
      json["as_it_runs"][2]["makes"][0],
      nlohmann::ordered_json({{"column", "image"}, {"dtype", "float32"}, {"shape", {3, 2, 2}}}));
  EXPECT_TRUE(json["as_it_runs"][1]["cost"].is_null());
  EXPECT_EQ(json["rewrites"][0],
            nlohmann::ordered_json(
                {{"op", 3}, {"what", "left out"}, {"beside", nullptr}, {"reason", kRemoved}}));
  EXPECT_EQ(
      json["rewrites"][1],
      nlohmann::ordered_json({{"op", 4}, {"what", "moved"}, {"beside", 2}, {"reason", kMoved}}));
  EXPECT_TRUE(json["cost"].is_null());
  EXPECT_EQ(json["no_cost"], "the disk is full");
}

}  // namespace
}  // namespace tidemill::cli

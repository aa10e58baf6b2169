// The `tidemill` command, as its users meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Command, ARunEndsWithOneJsonObjectThatHoldsEverything) {
  const Stack stack;
  const CommandResult result = stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const nlohmann::json run = result.Json();
  EXPECT_EQ(run.at("state"), "succeeded");
  ASSERT_EQ(run.at("triggers").size(), 4);           // 1,200 samples, one every 250.
  EXPECT_EQ(run["triggers"][0].at("samples"), 200);  // 80 % of 250.
  EXPECT_EQ(run.at("models").size(), 4);
  // 4 models on 5 windows by 2 measures.
  EXPECT_EQ(run.at("evaluations").size(), 40);
  EXPECT_EQ(run.at("composite").at("active").size(), 8);
  EXPECT_EQ(run.at("composite").at("trained").size(), 8);
  int64_t samples = 0;
  for (const auto& value : run["composite"]["active"]) {
    if (value.at("measure") == "accuracy") samples += value.at("samples").get<int64_t>();
  }
  EXPECT_EQ(samples, 950);  // All but the first window.
}

TEST(Command, AStackStaysUpBetweenCommandsAndGoesDown) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  EXPECT_EQ(stack.Tidemill({"status"}).exit_code, 0);
  const CommandResult run = stack.Tidemill({"run", WriteSmallPipeline(stack.files())});
  EXPECT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  EXPECT_THAT(run.out, AllOf(HasSubstr("accuracy on drift"), HasSubstr("active")));
  EXPECT_THAT(stack.Tidemill({"runs", "list"}).out, HasSubstr("succeeded"));
  EXPECT_THAT(stack.Tidemill({"pipelines", "list"}).out, HasSubstr("small"));
  EXPECT_THAT(stack.Tidemill({"datasets", "show", "drift"}).out, HasSubstr("1200"));
  EXPECT_EQ(stack.Tidemill({"models", "list", "--json"}).Json().size(), 4);
  EXPECT_EQ(stack.Tidemill({"runs", "show", "9999"}).exit_code, 4);
  EXPECT_EQ(stack.Tidemill({"down"}).exit_code, 0);
  EXPECT_THAT(stack.Processes(), ::testing::IsEmpty());
  EXPECT_EQ(stack.Tidemill({"runs", "list"}).exit_code, 5);
}

TEST(Command, ABadPipelineIsRefusedWithItsPlaceAndLeavesNothingBehind) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::string pipeline = WriteSmallPipeline(stack.files());
  std::ifstream in(pipeline);
  std::string text(std::istreambuf_iterator<char>(in), {});
  text.replace(text.find("batch_size"), 10, "batchsize ");
  std::ofstream(pipeline) << text;
  const CommandResult result = stack.Tidemill({"run", pipeline});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, AllOf(HasSubstr("pipeline.yaml:"), HasSubstr("batch_size")));
  EXPECT_EQ(stack.Tidemill({"pipelines", "list", "--json"}).Json(), nlohmann::json::array());
  EXPECT_EQ(stack.Tidemill({"datasets", "list", "--json"}).Json(), nlohmann::json::array());
}

TEST(Command, UsageErrorsExitWithTwo) {
  const Stack stack;
  EXPECT_EQ(stack.Tidemill({"rum"}).exit_code, 2);
  EXPECT_EQ(stack.Tidemill({"run", "pipeline.yaml", "--max-triggers", "-1"}).exit_code, 2);
  EXPECT_EQ(stack.Tidemill({"check", "/nowhere/pipeline.yaml"}).exit_code, 4);
}

TEST(Command, DeletingAPipelineRemovesRunsAndModelsButNotDatasets) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const CommandResult run =
      stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--max-triggers", "1", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  EXPECT_EQ(run.Json().at("triggers").size(), 1);
  EXPECT_EQ(stack.Tidemill({"pipelines", "delete", "small"}).exit_code, 0) << stack.Logs();
  EXPECT_EQ(stack.Tidemill({"models", "list", "--json"}).Json(), nlohmann::json::array());
  EXPECT_EQ(stack.Tidemill({"runs", "list", "--json"}).Json(), nlohmann::json::array());
  EXPECT_EQ(stack.Tidemill({"datasets", "show", "drift"}).exit_code, 0);
  EXPECT_EQ(stack.Tidemill({"datasets", "delete", "drift"}).exit_code, 0);
  EXPECT_EQ(stack.Tidemill({"datasets", "show", "drift"}).exit_code, 4);
}

}  // namespace
}  // namespace tidemill::tests

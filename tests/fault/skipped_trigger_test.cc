// A training that fails costs its trigger, also when the supervisor is killed before it has written
// that down.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/files.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;

// The small pipeline, whose second trigger finds no number in its data.
std::string WritePipelineWithABadTrigger(const std::string& folder) {
  const std::string path = WriteSmallPipeline(folder);
  std::string rows, text = files::Read(folder + "/drift.csv").value();
  int row = -1;  // The header.
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at) + 1;
    std::string line = text.substr(at, end - at);
    if (row >= 250 && row < 500) line.insert(line.find(',') + 1, "none");
    rows += line;
    at = end;
    ++row;
  }
  EXPECT_TRUE(files::WriteAtomically(folder + "/drift.csv", rows).ok());
  std::string pipeline = files::Read(path).value();
  const std::string selection = "{type: balanced, fraction: 0.8, weights: inverse_probability}";
  pipeline.replace(pipeline.find(selection), selection.size(), "new_data");
  // A fifth of all is less than that, all of one trigger are more.
  const std::string more = "  checkpoint_every: 300\n";
  pipeline.insert(pipeline.find(more), "  max_bad_fraction: 0.5\n");
  EXPECT_TRUE(files::WriteAtomically(path, pipeline).ok());
  return path;
}

CommandResult RunToItsEnd(const Stack& stack,
                          const std::map<std::string, std::string>& environment) {
  EXPECT_EQ(stack.Tidemill({"up"}, environment).exit_code, 0) << stack.Logs();
  return stack.Tidemill({"run", WritePipelineWithABadTrigger(stack.files()), "--json"},
                        environment);
}

TEST(SkippedTrigger, IsReportedWithItsReasonAndTheRunContinues) {
  const Stack stack;
  const CommandResult result = RunToItsEnd(stack, {});
  ASSERT_EQ(result.exit_code, 8) << result.err << stack.Logs();
  const nlohmann::json run = result.Json();
  EXPECT_EQ(run.at("state"), "succeeded");
  EXPECT_EQ(run.at("num_skipped_triggers"), 1);
  ASSERT_EQ(run.at("triggers").size(), 4U);
  EXPECT_THAT(run.at("triggers").at(1).at("skip_reason").get<std::string>(),
              HasSubstr("train: 250 of 250 samples could not be read"));
  EXPECT_EQ(run.at("triggers").at(1).at("model"), 0);
  EXPECT_EQ(run.at("models").size(), 3U);
  EXPECT_EQ(run.at("end_of_stream").at("untrained_samples"), 200);

  const std::string number = run.at("run").dump();
  EXPECT_THAT(stack.Tidemill({"why", number + "/2"}).out,
              HasSubstr("The trigger was skipped: train: 250 of 250 samples could not be read"));
  const std::string shown = stack.Tidemill({"runs", "show", number}).out;
  EXPECT_THAT(
      shown,
      HasSubstr("warning: trigger 2 was skipped: train: 250 of 250 samples could not be read"));
  EXPECT_THAT(shown, HasSubstr("200 samples after the last trigger were not trained on"));
}

TEST(SkippedTrigger, IsTheSameWhereTheSupervisorIsKilledBeforeItIsRecorded) {
  const Stack undisturbed, killed;
  const CommandResult expected = RunToItsEnd(undisturbed, {});
  ASSERT_EQ(expected.exit_code, 8) << expected.err << undisturbed.Logs();
  const std::string marks = killed.files() + "/marks";
  std::filesystem::create_directory(marks);
  const std::string point = "supervisor.before_skip";
  const CommandResult result = RunToItsEnd(
      killed, {{"TIDEMILL_FAILPOINTS", point + "=kill"}, {"TIDEMILL_FAILPOINTS_ONCE", marks}});
  EXPECT_TRUE(std::filesystem::exists(marks + "/" + point)) << "nothing passed " << point;
  EXPECT_EQ(result.exit_code, 8) << result.err << killed.Logs();
  EXPECT_EQ(Fingerprint(result.Json()), Fingerprint(expected.Json()));
}

}  // namespace
}  // namespace tidemill::tests

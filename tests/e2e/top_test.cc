// `tidemill top` on real trainings, with and without workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;

// The small pipeline with an op that takes longer than all else, and trainings that take minutes.
std::string WriteSlowPipeline(const std::string& folder, const std::string& workers) {
  const std::string path = WriteSmallPipeline(folder);
  std::string text = files::Read(path).value();
  const std::string graph = "  graph:\n";
  text.replace(text.find(graph), graph.size(),
               workers + graph + "    - delay: {milliseconds: 50}\n");
  const std::string epochs = "epochs: 4\n";
  text.replace(text.find(epochs), epochs.size(), "epochs: 4000\n  cache: off\n");
  EXPECT_TRUE(files::WriteAtomically(path, text).ok());
  return path;
}

class TopOfRuns : public ::testing::TestWithParam<const char*> {};

TEST_P(TopOfRuns, NamesTheOpThatLimitsTheTraining) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const CommandResult none = stack.Tidemill({"top"});
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_THAT(none.err, HasSubstr("no run is running"));

  const CommandResult started =
      stack.Tidemill({"run", WriteSlowPipeline(stack.files(), GetParam()), "--detach"});
  ASSERT_EQ(started.exit_code, 0) << started.err;
  // Until the training is under way.
  nlohmann::json seen;
  do {
    const CommandResult top = stack.Tidemill({"top", "--json"});
    ASSERT_EQ(top.exit_code, 0) << top.err << stack.Logs();
    seen = top.Json();
  } while (seen.at("stage") != "train" || seen.at("limit") != "op");
  EXPECT_THAT(seen.at("verdict"), HasSubstr("op delay"));
  EXPECT_EQ(seen.at("ops").at(0).at("type"), "delay");
  for (const char* stage : {"select_seconds", "opening_seconds", "asking_seconds",
                            "first_batch_seconds", "first_step_seconds"}) {
    EXPECT_TRUE(seen.at("start").contains(stage)) << seen.at("start") << " lacks " << stage;
  }
  EXPECT_EQ(seen.at("workers").size(), 1);
  EXPECT_EQ(seen.at("jobs").size(), std::string(GetParam()).empty() ? 0 : 1);

  const std::string run = seen.at("run").dump();
  const CommandResult table = stack.Tidemill({"top", run});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("run " + run + " of small"));
  ASSERT_EQ(stack.Tidemill({"runs", "stop", run}).exit_code, 0);
  EXPECT_EQ(stack.Tidemill({"top", run}).exit_code, 7);
  EXPECT_EQ(stack.Tidemill({"top", "9999"}).exit_code, 4);
}

INSTANTIATE_TEST_SUITE_P(HereAndByWorkers, TopOfRuns, ::testing::Values("", "  workers: {}\n"),
                         [](const ::testing::TestParamInfo<const char*>& tested) {
                           return std::string(tested.param).empty() ? "Here" : "ByWorkers";
                         });

TEST(Top, TheVerdictOfEachTriggerIsShownOnceItIsTrained) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const CommandResult result =
      stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--max-triggers", "1", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const std::string verdict = result.Json().at("triggers").at(0).at("verdict");
  EXPECT_THAT(verdict, HasSubstr("of the time waiting for data"));
  const std::string run = result.Json().at("run").dump();
  EXPECT_THAT(stack.Tidemill({"runs", "show", run, "--full"}).out, HasSubstr(verdict));
  EXPECT_THAT(stack.Tidemill({"runs", "show", run + "/1"}).out, HasSubstr(verdict));
  EXPECT_EQ(stack.Tidemill({"runs", "show", run + "/1", "--json"}).Json().at("verdict"), verdict);
}

}  // namespace
}  // namespace tidemill::tests

// Runs whose models a program of the user trains, on real stacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "fmt/format.h"

#include "base/testing/tree.h"
#include "tests/run_comparison.h"
#include "tests/small_pipeline.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The small pipeline, trained by a program beside it with these keys of `training`.
std::string WritePipeline(const Stack& stack, const std::string& program,
                          const std::string& more = "", const std::string& answers = "") {
  const std::string source = testing::InTree("tests/plugin/plugins/" + program);
  std::filesystem::copy_file(source, stack.files() + "/" + program,
                             std::filesystem::copy_options::overwrite_existing);
  const std::string pipeline = WriteSmallPipeline(stack.files());
  ReplaceIn(pipeline, "model: {type: mlp, hidden: [8], outputs: 2}",
            fmt::format("model: {{type: program, outputs: 2{}}}", answers));
  ReplaceIn(pipeline, "  optimizer: {type: adam, lr: 1e-2}\n  loss: cross_entropy\n",
            fmt::format("  type: program\n  run: {}:main\n{}", program, more));
  return pipeline;
}

CommandResult RunOn(const Stack& stack, const std::string& pipeline,
                    const std::map<std::string, std::string>& environment = {}) {
  EXPECT_EQ(stack.Tidemill({"up"}, environment).exit_code, 0) << stack.Logs();
  return stack.Tidemill({"run", pipeline, "--json"}, environment);
}

double LastAccuracy(const nlohmann::json& run) {
  double accuracy = 0;
  for (const auto& value : run.at("evaluations")) {
    if (value.at("measure") == "accuracy" && value.at("value").is_number()) {
      accuracy = value.at("value");
    }
  }
  return accuracy;
}

TEST(ProgramRun, LearnsIsMeasuredAndPredicts) {
  const Stack stack;
  const CommandResult result =
      RunOn(stack, WritePipeline(stack, "program.py", "  requirements: [numpy>=1.20]\n"));
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  EXPECT_EQ(result.Json().at("triggers").size(), 4U);
  EXPECT_GT(LastAccuracy(result.Json()), 0.85);

  std::ofstream(stack.files() + "/rows.csv") << "time,a,b,c,class\n"
                                                "2024-01-01T00:00:00Z,0.1,0.9,0.5,\n"
                                                "2024-01-01T00:00:00Z,0.1,-0.9,0.5,\n";
  const CommandResult predicted =
      stack.Tidemill({"predict", "small", "--input", stack.files() + "/rows.csv"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err << stack.Logs();
  EXPECT_THAT(predicted.out, HasSubstr("UP"));
  EXPECT_THAT(predicted.out, HasSubstr("DOWN"));
  const std::string run = result.Json().at("run").dump();
  EXPECT_THAT(stack.Tidemill({"why", run + "/2"}).out, HasSubstr("program.py:main"));
}

TEST(ProgramRun, EndsWithTheSameWeightsWhateverIsKilled) {
  const Stack undisturbed, killed;
  const CommandResult expected = RunOn(undisturbed, WritePipeline(undisturbed, "program.py"));
  ASSERT_EQ(expected.exit_code, 0) << expected.err << undisturbed.Logs();

  const std::string marks = killed.files() + "/marks";
  std::filesystem::create_directory(marks);
  const std::map<std::string, std::string> environment = {
      {"TIDEMILL_FAILPOINTS",
       "trainer_server.after_checkpoint=kill;trainer_server.mid_training=kill;"
       "trainer_server.before_artefact=kill;trainer_server.after_artefact=kill"},
      {"TIDEMILL_FAILPOINTS_ONCE", marks}};
  const CommandResult result = RunOn(killed, WritePipeline(killed, "program.py"), environment);
  EXPECT_EQ(result.exit_code, 0) << result.err << killed.Logs();
  EXPECT_TRUE(std::filesystem::exists(marks + "/trainer_server.after_checkpoint"));
  EXPECT_TRUE(std::filesystem::exists(marks + "/trainer_server.mid_training"));
  EXPECT_EQ(Fingerprint(result.Json()), Fingerprint(expected.Json()));
}

TEST(ProgramRun, ContinuesFromItsCheckpointWhenItsProcessDies) {
  const Stack undisturbed, killed;
  const CommandResult expected = RunOn(undisturbed, WritePipeline(undisturbed, "program.py"));
  ASSERT_EQ(expected.exit_code, 0) << expected.err << undisturbed.Logs();
  const CommandResult result =
      RunOn(killed, WritePipeline(killed, "program.py", "  with: {fails: once}\n"));
  EXPECT_EQ(result.exit_code, 0) << result.err << killed.Logs();
  EXPECT_EQ(Fingerprint(result.Json()), Fingerprint(expected.Json()));
}

TEST(ProgramRun, PaysATriggerForEachMistake) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::pair<std::string, std::string> mistakes[] = {
      {"error", "ValueError: the sky fell down (program.py:"},
      {"hang", "took longer than 3s"},
      {"memory", "Unable to allocate 100. GiB"},
      {"fork", "a plug-in may not start processes (os.fork)"},
      {"network", "a plug-in may not use the network"},
      {"write", "PermissionError"},
      {"die", "its process exited with code 7"},
      {"wide", "an array [8, 2] as the answers, and returned one [8, 7]"},
      {"unloadable", "the model cannot be loaded: ValueError: invalid literal for int()"},
      {"none", "a module of PyTorch, or an object with predict(batch), and returned None"}};
  for (const auto& [how, message] : mistakes) {
    const std::string pipeline = WritePipeline(
        stack, "program.py", fmt::format("  timeout: 3s\n  with: {{fails: {}}}\n", how));
    const CommandResult result = stack.Tidemill({"run", pipeline, "--json"});
    EXPECT_EQ(result.exit_code, 8) << how << result.err << stack.Logs();
    const std::string run = result.Json().at("run").dump();
    const std::string shown = stack.Tidemill({"runs", "show", run, "--full"}).out;
    EXPECT_THAT(result.err + shown, HasSubstr(message)) << how;
    EXPECT_GT(LastAccuracy(result.Json()), 0.8) << how;
  }
}

TEST(ProgramRun, MayPrintWithoutEnd) {
  const Stack stack;
  const CommandResult result =
      RunOn(stack, WritePipeline(stack, "program.py", "  with: {fails: print}\n"));
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
}

TEST(ProgramRun, IsCheckedBeforeItRuns) {
  const Stack stack;
  const auto problems = [&](const std::string& more) {
    const CommandResult checked =
        stack.Tidemill({"check", WritePipeline(stack, "program.py", more)});
    EXPECT_EQ(checked.exit_code, 3) << checked.out;
    return checked.err;
  };
  EXPECT_THAT(problems("  requirements: [nothing-of-the-sort>=2]\n"),
              HasSubstr("-m pip install 'nothing-of-the-sort>=2'"));
  EXPECT_THAT(problems("  with: {ratte: 1}\n"), HasSubstr("did you mean 'rate'"));
  EXPECT_THAT(problems("  optimizer: {type: sgd, lr: 1}\n"),
              HasSubstr("cannot be used with a program"));
  EXPECT_THAT(problems("  files: [gone.csv]\n"), HasSubstr("gone.csv"));
  const std::string pipeline = WritePipeline(stack, "program.py");
  ReplaceIn(pipeline, "model: {type: program, outputs: 2}", "model: {type: logistic, outputs: 2}");
  EXPECT_THAT(stack.Tidemill({"check", pipeline}).err,
              HasSubstr("write model: {type: program, outputs: 2}"));
}

TEST(ProgramRun, MakesNetworksOfModules) {
  const Stack stack;
  // The torch that the programs are linked with.
  const std::map<std::string, std::string> environment = {
      {"TIDEMILL_PLUGIN_PYTHON", testing::InTree(".venv/bin/python3")}};
  const CommandResult result = RunOn(stack, WritePipeline(stack, "network.py"), environment);
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  EXPECT_GT(LastAccuracy(result.Json()), 0.85);
  EXPECT_THAT(stack.Tidemill({"models", "list"}).out, Not(HasSubstr("failed")));
}

}  // namespace
}  // namespace tidemill::tests

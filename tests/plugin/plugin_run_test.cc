// Runs whose trigger policy is a user's, on real stacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "base/testing/tree.h"
#include "tests/run_comparison.h"
#include "tests/small_pipeline.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kMistakes[] =
    "{type: plugin, use: 'mistakes.py:Mistakes', with: {at: 0.9, samples: 200}}";

// The small pipeline with this trigger, and the plug-ins beside it.
std::string WritePipeline(const Stack& stack, const std::string& trigger) {
  for (const char* const name :
       {"mistakes.py", "faulty.py", "level.py", "level.txt", "choices.py"}) {
    std::filesystem::copy_file(testing::InTree(std::string("tests/plugin/plugins/") + name),
                               stack.files() + "/" + name,
                               std::filesystem::copy_options::overwrite_existing);
  }
  return WriteSmallPipeline(stack.files(), trigger);
}

CommandResult RunToItsEnd(const Stack& stack, const std::string& trigger,
                          const std::map<std::string, std::string>& environment = {}) {
  EXPECT_EQ(stack.Tidemill({"up"}, environment).exit_code, 0) << stack.Logs();
  return stack.Tidemill({"run", WritePipeline(stack, trigger), "--json"}, environment);
}

TEST(PluginRun, IsTheSameWhateverIsKilledAndWhenTheFileIsGone) {
  const Stack undisturbed, killed;
  const CommandResult expected = RunToItsEnd(undisturbed, kMistakes);
  ASSERT_EQ(expected.exit_code, 0) << expected.err << undisturbed.Logs();
  EXPECT_GT(expected.Json().at("triggers").size(), 1U);

  const std::string marks = killed.files() + "/marks";
  std::filesystem::create_directory(marks);
  const std::string points =
      "supervisor.after_decision=kill;supervisor.after_unfired_decisions=kill;"
      "supervisor.after_train=kill;supervisor.before_select=kill";
  const std::map<std::string, std::string> environment = {{"TIDEMILL_FAILPOINTS", points},
                                                          {"TIDEMILL_FAILPOINTS_ONCE", marks}};
  ASSERT_EQ(killed.Tidemill({"up"}, environment).exit_code, 0) << killed.Logs();
  const CommandResult begun =
      killed.Tidemill({"run", WritePipeline(killed, kMistakes), "--detach", "--json"}, environment);
  ASSERT_EQ(begun.exit_code, 0) << begun.err << killed.Logs();
  std::filesystem::remove(killed.files() + "/mistakes.py");
  const CommandResult result =
      killed.Tidemill({"watch", begun.Json().at("run").dump(), "--json"}, environment);
  EXPECT_EQ(result.exit_code, 0) << result.err << killed.Logs();
  EXPECT_TRUE(std::filesystem::exists(marks + "/supervisor.after_decision"));
  EXPECT_TRUE(std::filesystem::exists(marks + "/supervisor.after_train"));
  EXPECT_EQ(Fingerprint(result.Json()), Fingerprint(expected.Json()));
}

// How many lines of a service's log have all of these words.
int64_t CountLines(const Stack& stack, const std::string& service,
                   const std::vector<std::string>& words) {
  std::ifstream log(stack.state() + "/logs/" + service + ".log");
  int64_t count = 0;
  for (std::string line; std::getline(log, line);) {
    count += std::ranges::all_of(
        words, [&](const std::string& word) { return line.find(word) != std::string::npos; });
  }
  return count;
}

TEST(PluginRun, HasOneProcessForAllItsTriggers) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::string pipeline = WritePipeline(stack, kMistakes);
  ReplaceIn(pipeline, "{type: balanced, fraction: 0.8, weights: inverse_probability}",
            "{type: plugin, use: 'choices.py:UniformShare', with: {fraction: 0.5}}");
  const CommandResult result = stack.Tidemill({"run", pipeline, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  EXPECT_GT(result.Json().at("triggers").size(), 2U);
  const std::string started = "a plug-in's process runs";
  EXPECT_EQ(CountLines(stack, "supervisor", {started, "mistakes.py"}), 1);
  EXPECT_EQ(CountLines(stack, "selector", {started, "choices.py"}), 1);
}

TEST(PluginRun, KeepsTheDataFilesOfItsPlugins) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::string pipeline = WritePipeline(
      stack, "{type: plugin, use: 'level.py:Level', with: {every: 300}, files: [level.txt]}");
  const CommandResult begun = stack.Tidemill({"run", pipeline, "--detach", "--json"});
  ASSERT_EQ(begun.exit_code, 0) << begun.err << stack.Logs();
  std::filesystem::remove(stack.files() + "/level.txt");
  const std::string run = begun.Json().at("run").dump();
  const CommandResult result = stack.Tidemill({"watch", run, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  EXPECT_EQ(result.Json().at("triggers").size(), 4U);
  EXPECT_THAT(stack.Tidemill({"why", run + "/1"}).out, HasSubstr("the level"));

  const CommandResult checked = stack.Tidemill({"check", pipeline});
  EXPECT_EQ(checked.exit_code, 3);
  EXPECT_THAT(checked.err, HasSubstr("there is no file"));
  EXPECT_THAT(checked.err, HasSubstr("level.txt"));
  std::ifstream text(pipeline);
  int number = 0;
  size_t column = std::string::npos;
  for (std::string line; column == std::string::npos && std::getline(text, line); ++number) {
    column = line.find("level.txt");
  }
  EXPECT_THAT(checked.err, HasSubstr(fmt::format(":{}:{}", number, column + 1)));
}

TEST(PluginRun, IsTriedOnHistoryWithAPluginOfAnotherFolder) {
  const Stack stack;
  const CommandResult result = RunToItsEnd(stack, "{type: amount, samples: 250}");
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const std::string folder = stack.files() + "/policies";
  std::filesystem::create_directory(folder);
  for (const char* const name : {"level.py", "level.txt"}) {
    std::filesystem::rename(stack.files() + "/" + name, folder + "/" + name);
  }
  const auto try_policy = [&](const std::string& policy) {
    std::ofstream(folder + "/own.yaml") << policy;
    return stack.Tidemill({"backtest", "small", "--policy", folder + "/own.yaml", "--json"});
  };
  const CommandResult tried =
      try_policy("{type: plugin, use: 'level.py:Level', with: {every: 300}, files: [level.txt]}");
  ASSERT_EQ(tried.exit_code, 0) << tried.err << stack.Logs();
  const nlohmann::json built_in =
      try_policy("{type: amount, samples: 300}").Json().at("results").back();
  EXPECT_EQ(tried.Json().at("results").back(), built_in) << "as the built-in policy would";
  const CommandResult missing = try_policy("{type: plugin, use: 'gone.py:Level'}");
  EXPECT_EQ(missing.exit_code, 3) << missing.err;
  EXPECT_THAT(missing.err, HasSubstr("gone.py"));
}

TEST(PluginRun, ThatContinuesWithOtherVersionsSaysSo) {
  const Stack stack;
  const CommandResult failed =
      RunToItsEnd(stack, "{type: plugin, use: 'faulty.py:Faulty', with: {how: throw}}");
  ASSERT_EQ(failed.exit_code, 1) << failed.err << stack.Logs();
  const std::string run = failed.Json().at("run").dump();
  EXPECT_THAT(stack.Tidemill({"runs", "show", run}).out, Not(HasSubstr("sandbox: plain")));

  const std::map<std::string, std::string> plain = {{"TIDEMILL_PLUGIN_SANDBOX", "none"}};
  ASSERT_EQ(stack.Tidemill({"down"}).exit_code, 0);
  ASSERT_EQ(stack.Tidemill({"up"}, plain).exit_code, 0) << stack.Logs();
  stack.Tidemill({"runs", "resume", run}, plain);
  const CommandResult again = stack.Tidemill({"watch", run}, plain);
  EXPECT_EQ(again.exit_code, 1) << again.err << stack.Logs();
  const std::string shown = stack.Tidemill({"runs", "show", run}).out;
  EXPECT_THAT(shown, HasSubstr("later:"));
  EXPECT_THAT(shown, HasSubstr("sandbox: plain"));
}

TEST(PluginRun, ReportsAProcessThatDied) {
  const Stack stack;
  const CommandResult result = RunToItsEnd(stack, "{type: plugin, use: 'faulty.py:Forgetful'}");
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  EXPECT_THAT(result.err, HasSubstr("a process of the plug-in faulty.py:Forgetful died"));
  EXPECT_THAT(result.err, HasSubstr("exited with code 3"));
}

TEST(PluginRun, TellsWhatThePluginSaysAndRunsWith) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::string pipeline = WritePipeline(stack, kMistakes);
  std::filesystem::copy_file(testing::InTree("plugin/examples/cost.py"),
                             stack.files() + "/cost.py");
  ReplaceIn(pipeline, "measures: [", "measures: [{type: plugin, use: 'cost.py:Cost'}, ");
  const CommandResult result = stack.Tidemill({"run", pipeline, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const std::string run = result.Json().at("run").dump();
  const std::string why = stack.Tidemill({"why", run + "/2"}).out;
  EXPECT_THAT(why, HasSubstr("the accuracy"));
  EXPECT_THAT(why, HasSubstr("With the plug-in mistakes.py:Mistakes"));
  EXPECT_THAT(why, HasSubstr("numpy"));
  const std::string compared = stack.Tidemill({"compare", run, run}).out;
  EXPECT_THAT(compared, HasSubstr("mistakes.py:Mistakes"));
  EXPECT_THAT(compared, HasSubstr("cost on drift, active, in EUR"));
  EXPECT_THAT(stack.Tidemill({"runs", "show", run}).out, HasSubstr("cost on drift, in EUR"));
  EXPECT_THAT(stack.Tidemill({"runs", "show", run}).out, Not(HasSubstr("ZnJvbSB0aWRlbWls")));
}

// The numbers of the small pipeline in records of 24 bytes, which only a plug-in can read. One is
// bad.
std::string WriteReadings(const Stack& stack) {
  const std::string path = WritePipeline(stack, "{type: amount, samples: 400}");
  std::ifstream rows(stack.files() + "/drift.csv");
  std::ofstream data(stack.files() + "/drift.readings", std::ios::binary);
  std::string line;
  std::getline(rows, line);
  for (int64_t row = 0; std::getline(rows, line); ++row) {
    const int64_t time = 1'700'000'000'000'000 + row * 60'000'000;
    const size_t comma = line.find(',');
    float numbers[3] = {};
    std::sscanf(line.c_str() + comma, ",%f,%f,%f", &numbers[0], &numbers[1], &numbers[2]);
    const int32_t label = row == 500 ? 7 : line.ends_with("UP") ? 1 : 0;
    data.write(reinterpret_cast<const char*>(&time), sizeof time);
    data.write(reinterpret_cast<const char*>(numbers), sizeof numbers);
    data.write(reinterpret_cast<const char*>(&label), sizeof label);
  }
  std::string text = *files::Read(path, size_t{1} << 20);
  const auto replace = [&text](const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
  };
  replace("drift.csv", "drift.readings");
  replace("{type: csv, header: true}", "{type: plugin, use: 'readings.py:Readings'}");
  replace("{column: time}", "{from_format: true}");
  replace("{column: class, classes: [DOWN, UP]}", "{from_format: true, classes: [DOWN, UP]}");
  replace("parse_csv: {columns: [a, b, c], dtype: float32}",
          "parse_record: {fields: [{name: abc, offset: 8, dtype: float32, shape: [3]}]}");
  std::ofstream(path) << text;
  std::filesystem::copy_file(testing::InTree("tests/plugin/plugins/readings.py"),
                             stack.files() + "/readings.py");
  return path;
}

TEST(PluginRun, ReadsFilesInAFormatOfTheUsers) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::string pipeline = WriteReadings(stack);
  const CommandResult checked = stack.Tidemill({"check", pipeline});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  const CommandResult begun = stack.Tidemill({"run", pipeline, "--detach", "--json"});
  ASSERT_EQ(begun.exit_code, 0) << begun.err << stack.Logs();
  // Storage has the plug-in's file from the pipeline.
  std::filesystem::remove(stack.files() + "/readings.py");
  const std::string run = begun.Json().at("run").dump();
  const CommandResult result = stack.Tidemill({"watch", run, "--json"});
  EXPECT_EQ(result.exit_code, 8) << result.out << result.err << stack.Logs();
  EXPECT_EQ(result.Json().at("triggers").size(), 2U);
  const std::string shown = stack.Tidemill({"runs", "show", run}).out;
  EXPECT_THAT(shown, HasSubstr("1 of 1,200 records"));
  EXPECT_THAT(shown, HasSubstr("its class is neither 0 nor 1"));
  EXPECT_THAT(shown, HasSubstr("plug-ins: readings.py:Readings 3 ("));
}

TEST(PluginRun, ThatCannotDecideFailsWithTheTracebackAndTheNextRunWorks) {
  const Stack stack;
  const std::string faulty = "{type: plugin, use: 'faulty.py:Faulty', with: {how: throw}";
  const CommandResult failed = RunToItsEnd(stack, faulty + "}");
  EXPECT_EQ(failed.exit_code, 1) << failed.err << stack.Logs();
  EXPECT_THAT(failed.out, HasSubstr("thrown on purpose"));
  EXPECT_THAT(failed.out, HasSubstr("faulty.py"));

  const CommandResult skipped = RunToItsEnd(stack, faulty + ", on_fault: fire}");
  EXPECT_EQ(skipped.exit_code, 8) << skipped.err << stack.Logs();
  EXPECT_GE(skipped.Json().at("triggers").size(), 1U);
  EXPECT_GE(skipped.Json().at("num_replaced_decisions"), 1);
  EXPECT_THAT(skipped.err, HasSubstr("the trigger policy could not decide"));
}

TEST(PluginRun, IsRefusedWithLineAndColumnWhereASettingIsWrong) {
  const Stack stack;
  const std::string pipeline =
      WritePipeline(stack, "{type: plugin, use: 'mistakes.py:Mistakes', with: {att: 0.9}}");
  const CommandResult checked = stack.Tidemill({"check", pipeline});
  EXPECT_EQ(checked.exit_code, 3);
  EXPECT_THAT(checked.err, HasSubstr("the plug-in has no setting 'att'"));
  EXPECT_THAT(checked.err, HasSubstr("did you mean 'at'?"));
}

TEST(PluginRun, IsRefusedWhereAnOpReadsAColumnThatItIsNotGiven) {
  const Stack stack;
  const std::string pipeline = WritePipeline(stack, "{type: amount, samples: 400}");
  std::ofstream(stack.files() + "/doubled.py") << R"(from tidemill import plugin


class Doubled(plugin.Op):
    """Doubles a column."""

    def outputs(self, inputs):
        return [plugin.ColumnType("doubled", "float32")]

    def apply(self, block):
        return {"doubled": 2 * block["price"]}
)";
  ReplaceIn(pipeline, "    - standardize:",
            "    - plugin: {use: 'doubled.py:Doubled', columns: [a]}\n    - standardize:");
  const CommandResult checked = stack.Tidemill({"check", pipeline});
  EXPECT_EQ(checked.exit_code, 3) << checked.out;
  EXPECT_THAT(checked.err, HasSubstr("doubled.py:Doubled"));
  EXPECT_THAT(checked.err, HasSubstr("price"));
  ReplaceIn(stack.files() + "/doubled.py", "block[\"price\"]", "block[\"a\"]");
  EXPECT_EQ(stack.Tidemill({"check", pipeline}).exit_code, 0);
}

TEST(PluginRun, BlamesNoFileForAFormatThatIsMissing) {
  const Stack stack;
  const std::string pipeline = WriteReadings(stack);
  std::filesystem::remove(stack.files() + "/readings.py");
  const CommandResult checked = stack.Tidemill({"check", pipeline});
  EXPECT_EQ(checked.exit_code, 3);
  EXPECT_THAT(checked.err, HasSubstr("there is no file"));
  EXPECT_THAT(checked.err, Not(HasSubstr("left out")));
}

}  // namespace
}  // namespace tidemill::tests

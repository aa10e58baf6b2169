#include "supervisor/checks/pipeline_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "storage/trials/dataset_trial.h"
#include "supervisor/pipeline/disk_files.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kTestdata;
using ::testing::Not;

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream stream(path);
  EXPECT_TRUE(stream.good()) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

CheckedPipeline Check(const std::string& text, const RegisteredDatasets& registered = nullptr) {
  DiskFiles files(kTestdata.string(), "");
  return CheckPipeline({.text = text,
                        .file_name = "pipeline.yaml",
                        .base_folder = kTestdata.string(),
                        .files = &files,
                        .peek = storage::PeekAtDisk},
                       registered);
}

std::string Replace(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// What the first line of a broken pipeline says about it: `# expect: LINE:COLUMN | MESSAGE | HINT`.
struct Expectation {
  config::Position position;
  std::string message;
  std::string hint;
};

Expectation ExpectationOf(const std::string& text) {
  Expectation expected;
  const std::string line = text.substr(0, text.find('\n'));
  const size_t first = line.find(" | ");
  const size_t second = line.find(" | ", first + 3);
  EXPECT_EQ(std::sscanf(line.c_str(), "# expect: %d:%d |", &expected.position.line,
                        &expected.position.column),
            2);
  expected.message = line.substr(first + 3, second - first - 3);
  expected.hint = line.substr(std::min(second + 3, line.size()));
  return expected;
}

TEST(CheckPipeline, FindsNothingInASoundPipeline) {
  const auto checked = Check(ReadText(kTestdata / "sound.yaml"));
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  EXPECT_EQ(checked.value.name, "weather");
  EXPECT_EQ(checked.value.datasets.at("weather")->path, (kTestdata / "data").string());
}

TEST(CheckPipeline, ReadsBackWhatItPrints) {
  const auto checked = Check(ReadText(kTestdata / "sound.yaml"));
  const std::string printed = config::Print(checked.value);
  const auto read = config::Read<PipelineSpec>(printed, "printed");
  ASSERT_THAT(read, ::tidemill::testing::IsOk());
  EXPECT_EQ(config::Print(*read), printed);
}

TEST(CheckPipeline, ShowsWhereEachBrokenPipelineIsBroken) {
  int num_broken = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kTestdata / "broken")) {
    if (entry.is_directory()) continue;
    const std::string text = ReadText(entry.path());
    const Expectation expected = ExpectationOf(text);
    const auto checked = Check(text);
    const auto found = std::ranges::any_of(checked.problems.items(), [&](const auto& problem) {
      return problem.position == expected.position &&
             problem.message.find(expected.message) != std::string::npos &&
             (problem.hint + problem.note).find(expected.hint) != std::string::npos;
    });
    EXPECT_TRUE(found) << entry.path().filename() << " expects " << expected.position.line << ":"
                       << expected.position.column << " " << expected.message << " | "
                       << expected.hint << "\n"
                       << checked.problems.ToString();
    EXPECT_THAT(checked.problems.ToString(),
                HasSubstr(fmt::format("pipeline.yaml:{}:{}: error:", expected.position.line,
                                      expected.position.column)));
    ++num_broken;
  }
  EXPECT_GE(num_broken, 20);
}

// With rules for the columns to parse, and to stack.
std::string WithRules(const std::string& parse, const std::string& stack) {
  std::string text = ReadText(kTestdata / "sound.yaml");
  text = Replace(text, "columns: [precipitation, wind]", "columns: " + parse);
  return Replace(text, "stack: {columns: all", "stack: {columns: " + stack);
}

TEST(CheckPipeline, WritesNamesWhereRulesChooseColumns) {
  const auto by_rule = Check(WithRules("{except: [date]}", "[wind, {match: \"*tation\"}]"));
  EXPECT_TRUE(by_rule.problems.empty()) << by_rule.problems.ToString();
  ASSERT_EQ(by_rule.chosen.size(), 2);
  EXPECT_EQ(by_rule.chosen[0].path, "preprocess.graph[0].parse_csv.columns");
  EXPECT_THAT(by_rule.chosen[0].names, ElementsAre("precipitation", "wind"));
  EXPECT_EQ(by_rule.chosen[0].Describe(), "2 columns: precipitation, wind");
  EXPECT_THAT(by_rule.chosen[1].names, ElementsAre("wind", "precipitation"));
  const auto by_name = Check(WithRules("[precipitation, wind]", "[wind, precipitation]"));
  EXPECT_EQ(config::Print(by_rule.value), config::Print(by_name.value));
  EXPECT_TRUE(by_name.chosen.empty());
  EXPECT_THAT(config::Print(by_rule.value), Not(HasSubstr("except")));
}

TEST(CheckPipeline, KeepsRulesWhoseColumnsAreNotKnownYet) {
  std::string text = WithRules("{match: \"p*\"}", "all");
  text = Replace(text, "path: data", "path: s3://bucket/weather");
  const auto checked = Check(text);
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  EXPECT_TRUE(checked.chosen.empty());
  ASSERT_EQ(checked.not_looked.size(), 2);
  EXPECT_EQ(checked.not_looked[1].path, "preprocess.graph");
  EXPECT_THAT(config::Print(checked.value), HasSubstr("match: \"p*\""));
  // Rules might choose others of another dataset.
  text = Replace(text, "  weather:\n",
                 "  other:\n    path: s3://bucket/other\n    format: {type: csv, "
                 "columns: [date, precipitation, pressure, weather]}\n    event_time: {column: "
                 "date}\n    label: {column: weather, classes: [rain, sun]}\n  weather:\n");
  text = Replace(text, "  - dataset: weather", "  - dataset: other");
  EXPECT_THAT(Check(text).problems.ToString(),
              HasSubstr("those of 'weather' are not known yet, so 'other' may have others"));
}

TEST(CheckPipeline, RefusesADatasetOfAnEvaluationThatCannotPassThroughTheGraph) {
  // A dataset of other files, with these columns.
  const auto with_other = [](const std::string& columns, const std::string& label) {
    std::string text = ReadText(kTestdata / "sound.yaml");
    text = Replace(text, "  weather:\n",
                   fmt::format("  other:\n    path: s3://bucket/other\n    format: {{type: csv, "
                               "columns: {}}}\n    event_time: {{column: date}}\n    label: {}\n"
                               "  weather:\n",
                               columns, label));
    return Check(Replace(text, "  - dataset: weather", "  - dataset: other")).problems;
  };
  const std::string classes = "{column: weather, classes: [rain, sun]}";
  EXPECT_TRUE(with_other("[date, precipitation, wind, weather]", classes).empty());
  const auto lacking = with_other("[date, precipitation, pressure, weather]", classes);
  ASSERT_FALSE(lacking.empty());
  EXPECT_EQ(lacking.items()[0].path, "evaluation[0].dataset");
  EXPECT_THAT(lacking.ToString(),
              AllOf(HasSubstr("'other' cannot pass through the graph"), HasSubstr("wind")));
  const auto real =
      with_other("[date, precipitation, wind, weather]", "{column: weather, kind: real}");
  EXPECT_THAT(real.ToString(), HasSubstr("accuracy does not fit the label of 'other'"));
}

TEST(CheckPipeline, ReportsAllProblemsAtOnce) {
  std::string text = ReadText(kTestdata / "sound.yaml");
  text = Replace(text, "loss: cross_entropy", "loss: mse");
  text = Replace(text, "[accuracy]", "[rmse]");
  text = Replace(text, "path: data", "path: elsewhere");
  EXPECT_EQ(Check(text).problems.items().size(), 3U);
}

// As many samples as the data have.
std::string WithFewSamples() {
  return Replace(ReadText(kTestdata / "sound.yaml"), "samples: 50", "samples: 40");
}

TEST(CheckPipeline, OnlyWarnsOfWhatIsAllowedAndHardlyMeant) {
  std::string text = WithFewSamples();
  EXPECT_TRUE(Check(text).warnings.empty()) << Check(text).warnings.ToString();
  text = Replace(text, "batch_size: 16", "batch_size: 5000");
  text = Replace(text, "{type: amount, samples: 40}", "{type: time, every: 1s}");
  text.resize(text.find("evaluation:"));
  const auto checked = Check(text);
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  std::vector<std::string> paths;
  for (const auto& warning : checked.warnings.items()) {
    paths.push_back(warning.path);
    EXPECT_GT(warning.position.line, 0);
  }
  EXPECT_THAT(paths, ::testing::UnorderedElementsAre("training.batch_size", "trigger.every", ""));
}

TEST(CheckPipeline, WarnsOfADriftTriggerThatAlwaysFires) {
  const std::string sound = ReadText(kTestdata / "sound.yaml");
  const std::string drift =
      "{type: drift, evaluate: {every: 90d}, of: labels, statistic: binned, criterion: auto}";
  const std::string policy = "{type: amount, samples: 50}";
  const auto always = Check(Replace(sound, policy, drift));
  ASSERT_EQ(always.warnings.items().size(), 2U) << always.warnings.ToString();
  EXPECT_EQ(always.warnings.items()[0].path, "trigger.criterion");
  EXPECT_THAT(always.warnings.items()[0].message, HasSubstr("each evaluation fires"));
  EXPECT_EQ(always.warnings.items()[1].path, "trigger.current.samples") << "there are 40";
  const auto weekly = Check(Replace(sound, policy, Replace(drift, "90d", "7d")));
  ASSERT_EQ(weekly.warnings.items().size(), 1U) << weekly.warnings.ToString();
  EXPECT_EQ(weekly.warnings.items()[0].path, "trigger.current.samples");
}

TEST(CheckPipeline, WarnsOfALabelThatIsAFeature) {
  std::string text = WithFewSamples();
  text = Replace(text, "{column: weather, classes: [rain, sun]}", "{column: wind, kind: real}");
  text = Replace(text, "outputs: 2", "outputs: 1");
  text = Replace(text, "loss: cross_entropy", "loss: mse");
  text = Replace(text, "[accuracy]", "[rmse]");
  const auto checked = Check(text);
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  ASSERT_EQ(checked.warnings.items().size(), 1U) << checked.warnings.ToString();
  EXPECT_EQ(checked.warnings.items()[0].path, "preprocess.graph[0].parse_csv.columns[1]");
  EXPECT_THAT(checked.warnings.items()[0].message, HasSubstr("'wind' is also read as a feature"));
}

TEST(CheckPipeline, TakesADatasetThatIsRegisteredByItsName) {
  const auto sound = Check(ReadText(kTestdata / "sound.yaml"));
  std::string text = ReadText(kTestdata / "sound.yaml");
  const size_t begin = text.find("    path:");
  text.erase(begin, text.find("preprocess:") - begin);

  const auto offline = Check(text);
  EXPECT_TRUE(offline.problems.empty()) << offline.problems.ToString();
  EXPECT_FALSE(offline.value.datasets.at("weather").has_value());

  const auto registered = [&](const std::string&) { return sound.value.datasets.at("weather"); };
  EXPECT_TRUE(Check(text, registered).problems.empty());
  const auto wrong = Check(Replace(text, "outputs: 2", "outputs: 4"), registered);
  ASSERT_EQ(wrong.problems.items().size(), 1U);
  EXPECT_EQ(wrong.problems.items()[0].path, "model.outputs");
}

TEST(CheckPipeline, LooksIntoPathsThatVariablesName) {
  const std::string text =
      Replace(ReadText(kTestdata / "sound.yaml"), "path: data", "path: ${TIDEMILL_DATA}/data");
  const auto checked = CheckPipeline({.text = text,
                                      .file_name = "pipeline.yaml",
                                      .variables = {{"TIDEMILL_DATA", kTestdata.string()}},
                                      .base_folder = "/nowhere",
                                      .peek = storage::PeekAtDisk});
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
}

TEST(CheckPipeline, PutsTimesWithoutAZoneOnTheClockOfTheDataset) {
  std::string text = ReadText(kTestdata / "sound.yaml");
  text = Replace(text, "{column: date}", "{column: date, time_zone: America/New_York}");
  text = Replace(text, "    - standardize",
                 "    - time_features: {parts: [hour], into: hour}\n"
                 "    - compute: {morning: 'hour(@time) < 12'}\n"
                 "    - standardize");
  text = Replace(text, "{type: amount, samples: 50}",
                 "{type: ensemble, of: [{type: time, calendar: month}, {type: manual, at: "
                 "[2012-02-01, 2012-03-01T00:00:00Z]}, {type: time, every: 30d}]}");
  text = Replace(text, "{type: between_triggers}", "{type: periodic, calendar: month}");
  text += "replay: {from: 2012-01-02}\n";
  const CheckedPipeline checked = Check(text);
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  EXPECT_THAT(checked.warnings.ToString(), Not(HasSubstr("time_zone")));
  const PipelineSpec& spec = checked.value;
  EXPECT_EQ(FormatTimestamp(*spec.replay.from), "2012-01-02T05:00:00Z");
  EXPECT_THAT(config::Print(spec.preprocess.graph), HasSubstr("time_zone: America/New_York"));
  EXPECT_THAT(config::Print(spec.evaluation), HasSubstr("time_zone: America/New_York"));
  const std::string trigger = config::Print(spec.trigger);
  EXPECT_THAT(trigger, HasSubstr("time_zone: America/New_York"));
  EXPECT_THAT(trigger, HasSubstr("at: [2012-02-01T05:00:00Z, 2012-03-01T00:00:00Z]"));
}

}  // namespace
}  // namespace tidemill::supervisor

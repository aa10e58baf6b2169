// Records that do not become samples and samples without a label, from the file to what a user
// sees.
#include <functional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The small pipeline, whose data are 1,200 rows, over rows that `change` has changed.
std::string WritePipeline(const std::string& folder,
                          const std::function<void(int row, std::string& line)>& change) {
  const std::string path = WriteSmallPipeline(folder);
  const std::string data = files::Read(folder + "/drift.csv").value();
  std::string changed;
  int row = -1;  // The header.
  for (size_t at = 0; at < data.size(); ++row) {
    const size_t end = data.find('\n', at);
    std::string line = data.substr(at, end - at);
    if (row >= 0) change(row, line);
    changed += line + "\n";
    at = end + 1;
  }
  EXPECT_TRUE(files::WriteAtomically(folder + "/drift.csv", changed).ok());
  return path;
}

void CutLabel(std::string& line) { line.erase(line.rfind(',') + 1); }

TEST(LeftOut, RaggedRowsAreReportedEverywhereAndTheExitCodeSaysSo) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  const std::string pipeline = WritePipeline(stack.files(), [](int row, std::string& line) {
    if (row % 3 == 2) line.erase(line.rfind(','));
  });
  const CommandResult run = stack.Tidemill({"run", pipeline, "--json", "--quiet"});
  EXPECT_EQ(run.exit_code, 8) << run.err << stack.Logs();
  const nlohmann::json left_out = run.Json().at("left_out");
  EXPECT_EQ(left_out.at("records"), 400);
  EXPECT_EQ(left_out.at("of"), 1200);
  ASSERT_EQ(left_out.at("reasons").size(), 1u) << left_out.dump();
  const nlohmann::json& reason = left_out.at("reasons").at(0);
  EXPECT_EQ(reason.at("reason"), "... fields where ... columns are expected");
  EXPECT_EQ(reason.at("first").at("reason"), "4 fields where 5 columns are expected");
  EXPECT_EQ(reason.at("first").at("record"), 2);
  EXPECT_THAT(reason.at("first").at("file").get<std::string>(), HasSubstr("drift.csv"));

  const CommandResult shown = stack.Tidemill({"runs", "show", "1"});
  EXPECT_THAT(shown.out, HasSubstr("400 of 1,200 records of drift were left out"));
  EXPECT_THAT(shown.out, HasSubstr("4 fields where 5 columns are expected"));
  EXPECT_THAT(shown.out, HasSubstr("drift.csv, record 2"));
  EXPECT_THAT(stack.Tidemill({"datasets", "show", "drift"}).out,
              HasSubstr("400 of 1,200 records left out"));
  EXPECT_THAT(stack.Tidemill({"doctor"}).out, HasSubstr("400 of 1,200 records left out"));
  const CommandResult watched = stack.Tidemill({"watch", "1"});
  EXPECT_EQ(watched.exit_code, 8);
  EXPECT_THAT(watched.err, HasSubstr("400 of 1,200 records left out: 4 fields"));
  const std::string report = stack.files() + "/report.html";
  ASSERT_EQ(stack.Tidemill({"report", "1", "-o", report}).exit_code, 0);
  EXPECT_THAT(files::Read(report).value(), HasSubstr(R"("left_out":{"records":400,"of":1200)"));
}

TEST(LeftOut, FilteredRecordsAreNotALossAndReportedBesideTheirCondition) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  const std::string pipeline = WritePipeline(stack.files(), [](int row, std::string& line) {
    const size_t first = line.find(',') + 1;
    if (row % 3 == 2) line.replace(first, line.find(',', first) - first, "?");
  });
  std::string text = files::Read(pipeline).value();
  const std::string label = "    label: {column: class, classes: [DOWN, UP]}\n";
  ASSERT_NE(text.find(label), std::string::npos);
  text.replace(text.find(label), label.size(),
               "    label: {expression: class = 'UP', classes: [DOWN, UP]}\n"
               "    where: not a = '?'\n");
  ASSERT_TRUE(files::WriteAtomically(pipeline, text).ok());
  const CommandResult check = stack.Tidemill({"check", pipeline});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out,
              HasSubstr("datasets.drift.where: true, true, false, true, true, ...; of "));
  const CommandResult run = stack.Tidemill({"run", pipeline, "--json", "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  const nlohmann::json left_out = run.Json().at("left_out");
  EXPECT_EQ(left_out.at("records"), 0);
  EXPECT_EQ(left_out.at("filtered"), 400);
  EXPECT_EQ(left_out.at("of"), 1200);
  EXPECT_EQ(left_out.at("filters").at(0).at("where"), "not a = '?'");
  EXPECT_THAT(stack.Tidemill({"runs", "show", "1"}).out,
              HasSubstr("400 of 1,200 records of drift do not satisfy `where`: not a = '?'"));
  const std::string shown = stack.Tidemill({"datasets", "show", "drift"}).out;
  EXPECT_THAT(shown, HasSubstr("1,200 records: 800 used, 400 not asked for"));
  EXPECT_THAT(shown, HasSubstr("400 of 1,200 records do not satisfy `where` (not a = '?')"));
  EXPECT_EQ(stack.Tidemill({"datasets", "sync", "drift"}).exit_code, 0);
  const std::string report = stack.files() + "/report.html";
  ASSERT_EQ(stack.Tidemill({"report", "1", "-o", report}).exit_code, 0);
  EXPECT_THAT(files::Read(report).value(), HasSubstr(R"("filtered":400)"));
}

TEST(LeftOut, SamplesWithoutALabelAreKeptAndTrainNothingAndAreNotMeasured) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  const std::string pipeline = WritePipeline(stack.files(), [](int row, std::string& line) {
    if (row % 10 == 0) CutLabel(line);
  });
  const CommandResult run = stack.Tidemill({"run", pipeline, "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  const nlohmann::json json = run.Json();
  EXPECT_EQ(json.at("left_out").at("records"), 0);
  EXPECT_EQ(json.at("left_out").at("unlabelled"), 120);
  ASSERT_EQ(json.at("triggers").size(), 4u);
  for (const nlohmann::json& trigger : json.at("triggers")) {
    EXPECT_EQ(trigger.at("unlabelled"), 25);
    EXPECT_EQ(trigger.at("bad"), 0);
  }
  for (const nlohmann::json& value : json.at("evaluations")) {
    const int64_t all = value.at("samples").get<int64_t>() + value.at("unlabelled").get<int64_t>();
    EXPECT_EQ(value.at("unlabelled").get<int64_t>(), all / 10) << value.dump();
    EXPECT_FALSE(value.at("value").is_null());
  }
  EXPECT_THAT(stack.Tidemill({"runs", "show", "1"}).out,
              HasSubstr("120 samples of drift have no label"));
  EXPECT_THAT(stack.Tidemill({"doctor"}).out, Not(HasSubstr("no label")));
}

// Copies the dataset of a pipeline into a separate file and returns its path: no check looks at
// registered datasets.
std::string RegisterAlone(const std::string& folder, const std::string& pipeline) {
  std::string text = files::Read(pipeline).value();
  const size_t begin = text.find("datasets:"), end = text.find("preprocess:");
  const std::string datasets = folder + "/datasets.yaml";
  EXPECT_TRUE(files::WriteAtomically(datasets, text.substr(begin, end - begin)).ok());
  text.replace(begin, end - begin, "datasets:\n  drift:\n");
  EXPECT_TRUE(files::WriteAtomically(pipeline, text).ok());
  return datasets;
}

TEST(LeftOut, ADatasetOfWhichNothingWouldBeLeftIsRefusedBeforeItRuns) {
  const Stack stack;
  const std::string pipeline = WritePipeline(
      stack.files(), [](int, std::string& line) { line.replace(0, line.find(','), "31.12.2023"); });
  const CommandResult run = stack.Tidemill({"run", pipeline});
  EXPECT_EQ(run.exit_code, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr("pipeline.yaml:9:"));
  EXPECT_THAT(run.err, HasSubstr("line 2 of drift.csv"));
  EXPECT_THAT(run.err, HasSubstr("write format: \"%d.%m.%Y\""));
}

TEST(LeftOut, ADatasetOfWhichNothingIsLeftFailsWithTheFirstReasonAndTheNextCommand) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  const std::string pipeline = WritePipeline(
      stack.files(), [](int, std::string& line) { line.replace(0, line.find(','), "yesterday"); });
  const std::string datasets = RegisterAlone(stack.files(), pipeline);
  ASSERT_EQ(stack.Tidemill({"datasets", "register", datasets}).exit_code, 0);
  const CommandResult run = stack.Tidemill({"run", pipeline, "--json"});
  EXPECT_EQ(run.exit_code, 1) << run.out;
  const std::string error = run.Json().at("error").get<std::string>();
  EXPECT_THAT(error, HasSubstr("1,200 of 1,200 records left out"));
  EXPECT_THAT(error, HasSubstr("yesterday"));
  EXPECT_THAT(error, HasSubstr("drift.csv, record 0"));
  EXPECT_THAT(error, HasSubstr("tidemill datasets quarantine drift"));
}

}  // namespace
}  // namespace tidemill::tests

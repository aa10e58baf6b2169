#include "cli/run_directory/run_files.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/digest.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "cli/run_directory/message_json.h"
#include "cli/run_directory/run_tables.h"
#include "cli/run_directory/testing/example_run.h"
#include "cli/terminal/csv.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

class RunFilesTest : public ::testing::Test {
 protected:
  RunFilesTest() : folder_(fs::path(::testing::TempDir()) / "run_files_test") {
    fs::remove_all(folder_);
  }
  ~RunFilesTest() override { fs::remove_all(folder_); }

  std::string At(const std::string& path) const { return folder_ / path; }

  const fs::path folder_;
};

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(RunFilesTest, HoldOneLineForEachEventAndDecision) {
  const auto files = RunFiles(testing::ExampleRun("p", 4));
  EXPECT_EQ(LinesOf(files.at("events.jsonl")).size(), 1);
  const auto decisions = LinesOf(files.at("decisions.jsonl"));
  ASSERT_EQ(decisions.size(), 3);
  const auto second = nlohmann::json::parse(decisions[1]);
  EXPECT_EQ(second.at("number"), 2);
  EXPECT_EQ(second.at("at").at("event_time"), "2024-10-06T00:00:00Z");
  EXPECT_EQ(second.at("verdict").at("observed").at("samples"), 100);
}

TEST_F(RunFilesTest, NameInTheManifestWhatTheyAre) {
  const auto files = RunFiles(testing::ExampleRun("p", 3));
  const auto manifest = nlohmann::json::parse(files.at("manifest.json"));
  EXPECT_EQ(manifest.at("run"), 7);
  EXPECT_EQ(manifest.at("state"), "succeeded");
  EXPECT_EQ(manifest.at("devices"), nlohmann::json::array({"cpu"}));
  EXPECT_EQ(manifest.at("datasets").at(0).at("samples"), 300);
  EXPECT_EQ(manifest.at("models").at(1).at("model"), 1002);
  EXPECT_EQ(manifest.at("files").at("metrics.csv").at("sha256"), Sha256(files.at("metrics.csv")));
  EXPECT_EQ(manifest.at("files").size(), files.size() - 1);
}

TEST_F(RunFilesTest, HoldTheMatrixAsTableAndAsJson) {
  const auto files = RunFiles(testing::ExampleRun("p", 3));
  const auto lines = LinesOf(files.at("eval/matrix.csv"));
  EXPECT_EQ(lines.size(), 1 + 2 * 3);
  EXPECT_THAT(lines[0], ::testing::StartsWith("evaluation,dataset,measure,slice,trigger,model,"));
  EXPECT_THAT(lines[3], ::testing::StartsWith(
                            "1,days,accuracy,,1,1001,2024-10-06T00:00:00Z,2024-10-07T00:00:00Z,100,"
                            "0.6666666667,,,,,0,0,0,0,0,0"));
  const auto matrix = nlohmann::json::parse(files.at("eval/matrix.json"));
  EXPECT_EQ(matrix.at(0).at("models").at(1).at("values").at(1), 1);
  EXPECT_EQ(matrix.at(0).at("windows").at(2).at("active"), 2);
}

TEST_F(RunFilesTest, HoldAFolderForEachTrigger) {
  const auto files = RunFiles(testing::ExampleRun("p", 3));
  EXPECT_EQ(nlohmann::json::parse(files.at("triggers/0002/decision.json")).at("trigger"), 2);
  EXPECT_EQ(nlohmann::json::parse(files.at("triggers/0002/selection.json")).at("candidates"), 100);
}

// The manifest of a folder with one other file.
std::string ManifestNaming(const std::string& file) {
  return nlohmann::json({{"format", "tidemill run directory 1"}, {"files", {{file, {}}}}}).dump();
}

TEST_F(RunFilesTest, AreReplacedAsAWhole) {
  const std::string first = ManifestNaming("a/old"), second = ManifestNaming("b/new");
  ASSERT_THAT(PublishFolder(At("run"), {{"manifest.json", first}, {"a/old", "x"}}), IsOk());
  EXPECT_THAT(files::Read(At("run/a/old")), IsOkAndHolds("x"));
  ASSERT_THAT(PublishFolder(At("run/"), {{"manifest.json", second}, {"b/new", "y"}}), IsOk());
  EXPECT_THAT(files::Read(At("run/manifest.json")), IsOkAndHolds(second));
  EXPECT_FALSE(files::Exists(At("run/a")));
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder_)) left.push_back(entry.path().filename());
  EXPECT_THAT(left, ElementsAre("run"));
}

TEST_F(RunFilesTest, LeaveWhatSomebodyHasPutBesideThem) {
  const std::string manifest = ManifestNaming("a/old");
  ASSERT_THAT(PublishFolder(At("run"), {{"manifest.json", manifest}, {"a/old", "x"}}), IsOk());
  ASSERT_THAT(files::WriteAtomically(At("run/notes.txt"), "mine"), IsOk());
  ASSERT_THAT(files::WriteAtomically(At("run/a/notes.txt"), "mine, too"), IsOk());
  ASSERT_THAT(PublishFolder(At("run"), {{"manifest.json", manifest}, {"a/old", "y"}}), IsOk());
  EXPECT_THAT(files::Read(At("run/a/old")), IsOkAndHolds("y"));
  EXPECT_THAT(files::Read(At("run/notes.txt")), IsOkAndHolds("mine"));
  EXPECT_THAT(files::Read(At("run/a/notes.txt")), IsOkAndHolds("mine, too"));
}

TEST_F(RunFilesTest, ReplaceNothingWithAManifestOfSomethingElse) {
  ASSERT_THAT(files::CreateFolder(At("page")), IsOk());
  ASSERT_THAT(files::WriteAtomically(At("page/manifest.json"), R"({"name": "a page"})"), IsOk());
  EXPECT_THAT(PublishFolder(At("page"), {{"manifest.json", ManifestNaming("a")}}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("other files")));
  EXPECT_THAT(files::Read(At("page/manifest.json")), IsOkAndHolds(HasSubstr("a page")));
}

TEST_F(RunFilesTest, ReplaceOnlyARunDirectory) {
  ASSERT_THAT(files::CreateFolder(At("mine")), IsOk());
  ASSERT_THAT(files::WriteAtomically(At("mine/thesis.tex"), "x"), IsOk());
  EXPECT_THAT(PublishFolder(At("mine"), {{"manifest.json", "1"}}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("other files")));
  EXPECT_TRUE(files::Exists(At("mine/thesis.tex")));
  ASSERT_THAT(files::CreateFolder(At("empty")), IsOk());
  EXPECT_THAT(PublishFolder(At("empty"), {{"manifest.json", "1"}}), IsOk());
}

TEST(CsvCell, QuotesWhatWouldBreakALine) {
  EXPECT_EQ(CsvLine("plain", 1, 0.5, "a,b", "say \"so\"", "two\nlines", std::optional<double>()),
            "plain,1,0.5,\"a,b\",\"say \"\"so\"\"\",\"two\nlines\",\n");
}

TEST(CsvCell, KeepsSpreadsheetsFromComputingTexts) {
  EXPECT_EQ(CsvCell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
  EXPECT_EQ(CsvCell("+1+cmd|' /C calc'!A0"), "'+1+cmd|' /C calc'!A0");
  EXPECT_EQ(CsvCell("-2+3"), "'-2+3");
  EXPECT_EQ(CsvCell("@SUM(A1,A2)"), "\"'@SUM(A1,A2)\"");
  EXPECT_EQ(CsvCell("\t=1"), "'\t=1");
  EXPECT_EQ(CsvCell("\n=1"), "\"'\n=1\"");
  EXPECT_EQ(CsvCell("-"), "'-");
  for (const char* const number : {"-1.5", "+2", "-1e-9", "-inf", "7", "", "a=b", "-0.25"}) {
    EXPECT_EQ(CsvCell(number), number);
  }
  EXPECT_EQ(CsvCell(-1.5), "-1.5");
  EXPECT_EQ(CsvCell(int64_t{-3}), "-3");
}

TEST(MessageJson, WritesNumbersTimesAndAbsenceForPeople) {
  supervisor::v1::Trigger trigger;
  trigger.set_number(3);
  trigger.mutable_at()->set_event_time(86'400'000'000);
  trigger.mutable_at()->set_sample_key(int64_t{1} << 50);
  trigger.mutable_fired_at()->set_seconds(1);
  trigger.mutable_result()->set_loss(std::numeric_limits<double>::quiet_NaN());
  (*trigger.mutable_stage_seconds())["train"] = 2;
  const auto json = MessageToJson(trigger);
  EXPECT_EQ(json.at("number"), 3);
  EXPECT_EQ(json.at("at").at("event_time"), "1970-01-02T00:00:00Z");
  EXPECT_EQ(json.at("at").at("sample_key"), int64_t{1} << 50);
  EXPECT_EQ(json.at("fired_at"), "1970-01-01T00:00:01Z");
  EXPECT_TRUE(json.at("result").at("loss").is_null());
  EXPECT_EQ(json.at("stage_seconds").at("train"), 2);
  EXPECT_FALSE(json.contains("stored_at"));
}

TEST(MetricsCsv, HasALineForEachPoint) {
  const auto lines = LinesOf(MetricsCsv(testing::ExampleRun("p", 2).run));
  EXPECT_EQ(lines[0], "metric,trigger,samples,from,to,value,low,high");
  EXPECT_EQ(lines[1], "loss/train,1,80,,,0.9,,");
  EXPECT_THAT(lines, ::testing::Contains("active/accuracy/days,1,100,2024-10-05T00:00:00Z,"
                                         "2024-10-06T00:00:00Z,0.75,,"));
}

}  // namespace
}  // namespace tidemill::cli

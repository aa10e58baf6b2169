#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/files.h"
#include "storage/trials/dataset_trial.h"
#include "supervisor/checks/pipeline_check.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PartCheckTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path = std::filesystem::path(folder_.path()) / "data" / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }

  CheckedPipeline Check(const std::string& dataset, const std::string& op,
                        const std::string& more = "") const {
    const std::string text = fmt::format(R"(version: 1
name: looked_at
datasets: {{d: {{path: data, {}}}}}
preprocess: {{dataset: d, graph: [{}, {{label: {{into: target}}}}]}}
model: {{type: logistic, outputs: 2}}
trigger: {{type: amount, samples: 100}}
training: {{epochs: 1, batch_size: 8, optimizer: {{type: sgd, lr: 0.1}}, loss: cross_entropy, seed: 1, max_bad_fraction: 0.2}}
evaluation: [{{dataset: d, windows: {{type: between_triggers}}, models: active, measures: [accuracy]}}]
{})",
                                         dataset, op, more);
    return CheckPipeline({.text = text,
                          .file_name = "pipeline.yaml",
                          .base_folder = folder_.path(),
                          .peek = storage::PeekAtDisk});
  }

  class Folder {
   public:
    Folder() : path_(std::string(::testing::TempDir()) + "look_XXXXXX") { mkdtemp(path_.data()); }
    ~Folder() { std::filesystem::remove_all(path_); }
    const std::string& path() const { return path_; }

   private:
    std::string path_;
  };
  Folder folder_;
};

constexpr char kCsv[] = "format: csv, event_time: {column: t}, label: {column: y, classes: [a, b]}";
constexpr char kParse[] = "{parse_csv: {columns: [x]}}, {stack: {columns: all, into: input}}";

std::string Rows(int count, int bad, const std::string& bad_row) {
  std::string text = "t,x,y\n";
  for (int i = 0; i < count; ++i) {
    text += i == bad ? bad_row : fmt::format("2026-01-01,{},{}\n", i, i % 2 == 0 ? "a" : "b");
  }
  return text;
}

TEST_F(PartCheckTest, RefusesTimesThatCannotBeReadWhateverThePattern) {
  Write("a.csv", "t,x,y\n31.12.2020 10:00,1,a\n31.12.2020 11:00,1,b\n");
  for (const char* files : {"*.csv", "**.csv", "**/*.csv"}) {
    const auto checked = Check(fmt::format("files: '{}', {}", files, kCsv), kParse);
    EXPECT_THAT(checked.problems.ToString(), HasSubstr("31.12.2020 10:00")) << files;
  }
  const auto brackets = Check(fmt::format("files: '[a].csv', {}", kCsv), kParse);
  EXPECT_THAT(brackets.problems.ToString(), HasSubstr("brackets stand for themselves"));
}

TEST_F(PartCheckTest, WarnsOfRecordsThatAreLostAfterTheFirstOnes) {
  Write("a.csv", Rows(10'000, 9'999, "yesterday,1,a\n"));
  const auto checked = Check(kCsv, kParse);
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  ASSERT_EQ(checked.warnings.items().size(), 1U) << checked.warnings.ToString();
  const std::string message = checked.warnings.items()[0].message;
  EXPECT_THAT(message, HasSubstr("1 of"));
  EXPECT_THAT(message, HasSubstr("of a.csv would be left out: 'yesterday' is not a time"));
}

TEST_F(PartCheckTest, WarnsOfFieldsThatTheGraphCannotReadAfterTheFirstRecords) {
  Write("a.csv", Rows(10'000, 9'990, "2026-01-01,Unavailable,a\n"));
  const auto checked = Check(kCsv, kParse);
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  ASSERT_EQ(checked.warnings.items().size(), 1U) << checked.warnings.ToString();
  EXPECT_EQ(checked.warnings.items()[0].path, "preprocess.graph");
  EXPECT_THAT(checked.warnings.items()[0].message, HasSubstr("Unavailable"));
}

TEST_F(PartCheckTest, RefusesJsonWhoseTimesCannotBeRead) {
  Write("a.jsonl", "{\"t\": \"31.12.2020\", \"x\": 1, \"y\": \"a\"}\n");
  const auto checked =
      Check("format: jsonl, event_time: {column: t}, label: {column: y, classes: [a, b]}",
            "{parse_json: {fields: [x]}}, {stack: {columns: all, into: input}}");
  EXPECT_THAT(checked.problems.ToString(), HasSubstr("1 of 1 records in bytes 0 to"));
}

constexpr char kImages[] =
    "format: single_file, event_time: {sidecar: .time}, label: {folder: true, classes: [a, b]}";
constexpr char kDecode[] =
    "{decode_image: {height: 4, width: 4}}, {cast: {columns: [image], dtype: float32}}, {stack: "
    "{columns: [image], into: input}}";

TEST_F(PartCheckTest, SaysWhereASidecarIsLookedFor) {
  Write("a/IMG_1.JPG", "no image");
  Write("a/IMG_1.JPG.time", "2026-01-01");
  const auto checked = Check(kImages, kDecode);
  EXPECT_THAT(checked.problems.ToString(), HasSubstr("a/IMG_1.time"));
  EXPECT_THAT(checked.problems.ToString(),
              HasSubstr("the time of a/IMG_1.JPG is looked for in a/IMG_1.time"));
}

TEST_F(PartCheckTest, DecodesTheFirstImages) {
  Write("a/IMG_1.JPG", "no image");
  Write("a/IMG_1.time", "2026-01-01");
  const auto checked = Check(kImages, kDecode);
  EXPECT_THAT(checked.problems.ToString(), HasSubstr("first in a/IMG_1.JPG"));
}

TEST_F(PartCheckTest, CountsFilesInFoldersThatAreNotClasses) {
  Write("a/1.png", "no image");
  Write("c/1.png", "no image");
  Write("c/2.png", "no image");
  const auto checked = Check(
      "format: single_file, event_time: {mtime: true}, label: {folder: true, classes: [a, b]}",
      kDecode);
  EXPECT_THAT(checked.warnings.ToString(), HasSubstr("2 of 3 files would be left out"));
}

TEST_F(PartCheckTest, SaysOfWhichDatasetsNoDataWereLookedAt) {
  Write("a.csv", Rows(3, -1, ""));
  EXPECT_THAT(Check(kCsv, kParse).not_looked, IsEmpty());
  const auto waiting =
      Check(fmt::format("files: 'b*', {}", kCsv), kParse, "live: {lateness: 1s}\n");
  ASSERT_EQ(waiting.not_looked.size(), 1U);
  EXPECT_EQ(waiting.not_looked[0].path, "datasets.d");
  EXPECT_EQ(waiting.not_looked[0].reason, "no file matches yet");
}

TEST_F(PartCheckTest, ShowsWhatExpressionsGive) {
  Write("a.csv", "t,x,y\n2026-01-01,1,2\n2026-01-02,2,\n2026-01-03,,3\n2026-01-04,5,-1\n");
  const auto checked = Check(
      "format: csv, event_time: {column: t}, where: x > 1, "
      "label: {expression: y > 0, classes: [a, b]}",
      kParse);
  EXPECT_EQ(checked.problems.ToString(), "");
  ASSERT_EQ(checked.values.size(), 2u);
  EXPECT_EQ(checked.values[0].path, "datasets.d.where");
  EXPECT_EQ(checked.values[0].text,
            "false, true, null, true; of 4 records 2 are filtered, 1 of them null");
  EXPECT_EQ(checked.values[1].path, "datasets.d.label.expression");
  EXPECT_EQ(checked.values[1].text, "null, false; of 2 records 1 are null");
}

TEST_F(PartCheckTest, SaysWhatAnExpressionCannotBeComputedFrom) {
  Write("a.csv", "t,x,y\n2026-01-01,1,2\n2026-01-02,late,3\n2026-01-03,2,1\n");
  const std::string start = "format: csv, event_time: {column: t}, label: {column: y}, ";
  const auto bad = Check(start + "where: x > 0", kParse);
  EXPECT_EQ(bad.problems.ToString(), "");
  EXPECT_THAT(bad.warnings.ToString(), HasSubstr("datasets.d.files: 1 of 3 records in bytes 0 to"));
  EXPECT_THAT(bad.warnings.ToString(), HasSubstr("left out: where: x is 'late', not a number"));
  const auto label = Check("format: csv, event_time: {column: t}, label: {expression: x > 0}",
                           "{parse_csv: {columns: [y]}}, {stack: {columns: all, into: input}}");
  EXPECT_THAT(label.warnings.ToString(),
              HasSubstr("datasets.d.label.expression: 1 of 3 records in bytes 0 to"));
  EXPECT_THAT(label.warnings.ToString(), HasSubstr("left out: x is 'late', not a number"));
  const auto unknown = Check(start + "where: xx > 0", kParse);
  EXPECT_THAT(unknown.problems.ToString(),
              HasSubstr("datasets.d.where: does not fit a.csv: column 1 of 'xx > 0': there is no "
                        "column 'xx'; did you mean 'x'?"));
  const auto none = Check(start + "where: year(t) = 2020", kParse);
  EXPECT_THAT(none.warnings.ToString(),
              HasSubstr("none of the 3 records that were tried satisfies it"));
}

}  // namespace
}  // namespace tidemill::supervisor

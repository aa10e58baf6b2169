#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string_view>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "storage/trials/dataset_trial.h"
#include "supervisor/checks/pipeline_check.h"
#include "supervisor/pipeline/disk_files.h"
#include "supervisor/testing/testdata.h"
#include "transform/ops/tables/lookup.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;

// The table of days.csv, and what a check says about a sound pipeline with ops more.
class LookupFile : public ::testing::Test {
 protected:
  LookupFile() {
    std::string folder = ::testing::TempDir() + "lookup_XXXXXX";
    folder_ = mkdtemp(folder.data());
  }
  ~LookupFile() override { std::filesystem::remove_all(folder_); }

  void Write(std::string_view text) const { std::ofstream(folder_ / "days.csv") << text; }

  config::Decoded<PipelineSpec> CheckWith(const std::string& ops, DiskFiles& files,
                                          const std::string& zone = "UTC") const {
    std::ifstream stream(testing::kTestdata / "sound.yaml");
    std::ostringstream text;
    text << stream.rdbuf();
    std::string pipeline = text.str();
    const std::string data = "path: data";
    pipeline.replace(pipeline.find(data), data.size(),
                     fmt::format("path: {}", testing::kTestdata.string() + "/data"));
    const std::string time = "event_time: {column: date";
    pipeline.insert(pipeline.find(time) + time.size(), ", time_zone: " + zone);
    pipeline.insert(pipeline.find("    - stack"), ops);
    const std::string all = "stack: {columns: all";
    pipeline.replace(pipeline.find(all), all.size(), "stack: {columns: [wind, load]");
    return CheckPipeline({.text = pipeline,
                          .file_name = "pipeline.yaml",
                          .base_folder = folder_,
                          .files = &files,
                          .peek = storage::PeekAtDisk});
  }
  config::Decoded<PipelineSpec> CheckWith(const std::string& ops) const {
    DiskFiles files(folder_, "");
    return CheckWith(ops, files);
  }

  std::filesystem::path folder_;
};

constexpr char kLookup[] =
    "    - parse_csv: {columns: [date], dtype: string}\n"
    "    - lookup: {table: days.csv, on: date, columns: [load], default: {load: 0}}\n";

TEST_F(LookupFile, IsKeptWithThePipelineAndSentPacked) {
  Write("date,notes,load\n2012-01-01,dull,1\n2012-01-02,dry,2\n");
  DiskFiles files(folder_, "");
  const auto checked = CheckWith(kLookup, files);
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  const auto& op = *checked.value.preprocess.graph[3].value.As<transform::LookupSpec>();
  EXPECT_EQ(op.table, "");
  std::string packed;
  ASSERT_TRUE(absl::Base64Unescape(op.content, &packed));
  EXPECT_EQ(*transform::UnpackTable(packed), "date,load\n2012-01-01,1\n2012-01-02,2\n");
  EXPECT_THAT(files.read(), ElementsAre(Key("days.csv [date; load; ; ,]")));
  EXPECT_EQ(files.read().begin()->second, packed);
}

TEST_F(LookupFile, WithAMistakeIsReportedWithItsLineAndThatOfThePipeline) {
  Write("date,load\n2012-01-01,1\n2012-01-02,x\n");
  const auto checked = CheckWith(kLookup);
  ASSERT_EQ(checked.problems.items().size(), 1U) << checked.problems.ToString();
  EXPECT_EQ(checked.problems.items()[0].path, "preprocess.graph[3].lookup.table");
  EXPECT_THAT(checked.problems.ToString(),
              HasSubstr("pipeline.yaml:16:23: error: preprocess.graph[3].lookup.table: days.csv, "
                        "line 3: load: 'x' is not a number"));
}

TEST_F(LookupFile, IsNeitherAbsentNorTooLarge) {
  const auto absent = CheckWith(kLookup);
  ASSERT_EQ(absent.problems.items().size(), 1U) << absent.problems.ToString();
  EXPECT_THAT(absent.problems.items()[0].message, HasSubstr("there is no file"));
  Write("date,load\n2012-01-01,1\n");
  std::filesystem::resize_file(folder_ / "days.csv", transform::kMaxTableBytes + 1);
  const auto large = CheckWith(kLookup);
  ASSERT_EQ(large.problems.items().size(), 1U) << large.problems.ToString();
  EXPECT_THAT(large.problems.items()[0].message, HasSubstr("at most 67108864 are allowed"));
}

// Rows with a key, a load and notes, all without a pattern that packing could use.
std::string RandomTable(size_t num_rows, size_t notes) {
  std::string table = "date,notes,load\n";
  std::mt19937_64 random(1);
  for (size_t row = 0; row < num_rows; ++row) {
    std::string words;
    for (size_t i = 0; i < notes; ++i) words += fmt::format("{:016x}", random());
    table += fmt::format("{:016x}{:016x},{},{}\n", random(), random(), words, random() >> 40);
  }
  return table;
}

TEST_F(LookupFile, IsCountedByWhatIsLeftOfItsColumnsWhenTheyArePacked) {
  constexpr size_t kMuch = size_t{20} << 20;
  const std::string notes = RandomTable(20'000, 64);
  ASSERT_GT(notes.size(), kMuch);
  Write(notes);
  const auto packed = CheckWith(kLookup);
  EXPECT_TRUE(packed.problems.empty()) << packed.problems.ToString();
  const std::string rows = RandomTable(500'000, 0);
  ASSERT_GT(rows.size(), kMuch);
  Write(rows);
  const auto refused = CheckWith(kLookup);
  ASSERT_EQ(refused.problems.items().size(), 1U) << refused.problems.ToString();
  EXPECT_THAT(refused.problems.items()[0].message, HasSubstr("at most 8388608 are allowed"));
}

TEST_F(LookupFile, IsComparedWithTheKeysOfTheSamples) {
  Write("date,load\n2012-01-01 ,1\n2012-01-02,2\n");
  DiskFiles files(folder_, "");
  std::ifstream stream(testing::kTestdata / "sound.yaml");
  std::ostringstream text;
  text << stream.rdbuf();
  std::string pipeline = text.str();
  pipeline.replace(pipeline.find("path: data"), 10,
                   "path: " + testing::kTestdata.string() + "/data");
  pipeline.insert(pipeline.find("    - stack"), kLookup);
  const std::string all = "stack: {columns: all";
  pipeline.replace(pipeline.find(all), all.size(), "stack: {columns: [wind, load]");
  const CheckedPipeline checked = CheckPipeline({.text = pipeline,
                                                 .file_name = "pipeline.yaml",
                                                 .base_folder = folder_,
                                                 .files = &files,
                                                 .peek = storage::PeekAtDisk});
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  EXPECT_THAT(checked.warnings.ToString(), HasSubstr("preprocess.graph[3].lookup: "));
  EXPECT_THAT(checked.warnings.ToString(),
              HasSubstr("samples that were tried have no row in the table, first in "));
  EXPECT_THAT(checked.warnings.ToString(),
              HasSubstr("column date: '2012-01-01' is not in the table, which has '2012-01-01 '"));
}

TEST_F(LookupFile, HasTimesOnTheClockOfTheDataset) {
  Write("weather,from,load\nsun,2016-01-05 00:00,1\nsun,2016-01-05 22:00,2\n");
  const std::string ops =
      "    - parse_csv: {columns: [weather], dtype: string}\n"
      "    - lookup: {table: days.csv, on: weather, columns: [load], as_of: from}\n";
  DiskFiles files(folder_, "");
  const auto checked = CheckWith(ops, files, "America/New_York");
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  EXPECT_THAT(config::Print(checked.value.preprocess.graph),
              HasSubstr("time_zone: America/New_York"));
  EXPECT_THAT(config::Print(CheckWith(ops).value.preprocess.graph), HasSubstr("time_zone: UTC"));
}

}  // namespace
}  // namespace tidemill::supervisor

#include "storage/trials/dataset_trial.h"

#include <filesystem>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/tar_writer.h"
#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage {
namespace {

using testing::DataFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using tidemill::testing::IsOk;

class DatasetTrialTest : public ::testing::Test {
 protected:
  DatasetPeek Peek(const std::string& spec) const {
    auto read = config::Read<DatasetSpec>(fmt::format("path: {}\n{}", data_.path(), spec), "spec");
    EXPECT_THAT(read, IsOk());
    auto peek = PeekAtDisk(*read);
    EXPECT_THAT(peek, IsOk());
    return *std::move(peek);
  }

  static std::string Row(int second, const std::string& time = "2026-01-01T00:00:00Z") {
    return fmt::format("{},{},a\n", time, second);
  }

  // A file of rows in which row `bad` has no time.
  static std::string Rows(int count, int bad = -1) {
    std::string text = "t,x,y\n";
    for (int i = 0; i < count; ++i) {
      text += i == bad ? Row(i, "yesterday") : Row(i);
    }
    return text;
  }

  DataFolder data_;
};

constexpr char kCsv[] = R"(
format: csv
event_time: {column: t}
label: {column: y, classes: [a, b]}
)";

int64_t LeftOut(const DatasetPeek& peek) {
  int64_t count = 0;
  for (const TriedPart& part : peek.parts) count += part.num_left_out;
  return count;
}

TEST_F(DatasetTrialTest, FindsTheFirstFileWhateverThePattern) {
  data_.Write("a.csv", Rows(3, 1));
  data_.Write("below/b.csv", Rows(3));
  for (const char* files : {"*.csv", "**.csv", "**/*.csv", "**", "?.csv", "a*"}) {
    const DatasetPeek peek = Peek(fmt::format("files: '{}'\n{}", files, kCsv));
    EXPECT_TRUE(peek.files_known) << files;
    EXPECT_EQ(peek.first, "a.csv") << files;
    EXPECT_EQ(peek.head, Rows(3, 1)) << files;
    EXPECT_EQ(LeftOut(peek), 1) << files;
  }
  // As the ingest has it, brackets stand for themselves.
  EXPECT_FALSE(Peek(fmt::format("files: '[a].csv'\n{}", kCsv)).first.has_value());
}

TEST_F(DatasetTrialTest, LooksAtTheMiddleAndTheEndOfTheFirstAndTheLastFile) {
  constexpr int kRows = 20'000;
  data_.Write("a.csv", Rows(kRows, kRows / 2) + Row(1, "tomorrow"));
  data_.Write("b.csv", "no rows of this dataset\n");
  data_.Write("c.csv", Rows(kRows, kRows - 2));
  const DatasetPeek peek = Peek(kCsv);
  ASSERT_EQ(peek.parts.size(), 6U);
  EXPECT_EQ(peek.num_files, 3);
  std::vector<int64_t> left_out;
  for (const TriedPart& part : peek.parts) {
    left_out.push_back(part.num_left_out);
    EXPECT_GT(part.num_records, 1'000);
    EXPECT_EQ(std::ssize(part.samples), part.num_records - part.num_left_out);
  }
  EXPECT_THAT(left_out, ::testing::ElementsAre(0, 1, 1, 0, 0, 1));
  EXPECT_THAT(peek.parts[1].reasons.at(0).reason, HasSubstr("yesterday"));
  EXPECT_THAT(peek.parts[2].reasons.at(0).reason, HasSubstr("tomorrow"));
  EXPECT_EQ(peek.parts[5].file, "c.csv");
}

TEST_F(DatasetTrialTest, ReportsALastFileWithAnotherHeader) {
  data_.Write("a.csv", Rows(3));
  data_.Write("b.csv", "t,y,x\n2026-01-01,a,1\n");
  const DatasetPeek peek = Peek(kCsv);
  ASSERT_EQ(peek.parts.size(), 2U);
  EXPECT_THAT(peek.parts[1].refusal, HasSubstr("the header is [t, y, x]"));
}

TEST_F(DatasetTrialTest, LineEndsWithinQuotesAreNotMistakes) {
  std::string text = "t,x,y,note\n";
  for (int i = 0; i < 20'000; ++i) {
    text += fmt::format("2026-01-01T00:00:00Z,{},a,\"one\n\n\"\"two\"\",\n2026,3,a,b\n\"\n", i);
  }
  data_.Write("a.csv", text);
  const DatasetPeek peek = Peek(kCsv);
  EXPECT_EQ(peek.parts.size(), 3U);
  EXPECT_EQ(LeftOut(peek), 0);
}

// The rest of the file is one record of zeros, of which only a part is read.
TEST_F(DatasetTrialTest, LooksAtAPartOfAFileWithAHoleOfATerabyte) {
  const std::string lines = "{\"t\": \"2026-01-01\", \"y\": \"a\"}\n";
  for (const std::string& name : {std::string("a.csv"), std::string("a.jsonl")}) {
    const bool is_csv = name == "a.csv";
    data_.Write(name, is_csv ? Rows(3) : lines + lines + lines);
    std::filesystem::resize_file(data_.path() + "/" + name, uint64_t{1} << 40);
    const DatasetPeek peek =
        Peek("files: " + name + "\n" +
             (is_csv ? std::string(kCsv)
                     : "format: jsonl\nevent_time: {column: t}\nlabel: {column: y, classes: [a]}"));
    ASSERT_GE(peek.parts.size(), 1U) << name;
    EXPECT_EQ(peek.parts[0].num_records - peek.parts[0].num_left_out, 3) << name;
    EXPECT_LT(peek.parts[0].to_byte, int64_t{1} << 30) << name;
  }
}

TEST_F(DatasetTrialTest, TriesWhatAPackedFileBeginsWith) {
  data_.Write("a.csv.gz", testing::Gzip(Rows(20'000, 5)));
  const DatasetPeek peek = Peek(kCsv);
  EXPECT_THAT(peek.head, StartsWith("t,x,y\n"));
  ASSERT_EQ(peek.parts.size(), 1U);
  EXPECT_EQ(peek.parts[0].num_left_out, 1);
  EXPECT_GE(peek.parts[0].to_byte, std::ssize(peek.head));
}

TEST_F(DatasetTrialTest, APackedIdxFileNeedNotFitIntoWhatIsTried) {
  constexpr int kNumRecords = 18 << 10;
  std::string idx("\0\0\x08\x02\0\0\x48\0\0\0\x04\0", 12);  // 18,432 records of 1,024 bytes.
  idx += std::string(size_t{1024} * kNumRecords, 'x');
  data_.Write("a.idx.gz", testing::Gzip(idx));
  const DatasetPeek peek = Peek(
      "format: {type: binary, header_bytes: 12, record_bytes: 1024, idx: true}\n"
      "event_time: {row: {start: 2026-01-01, step: 1s}}");
  ASSERT_EQ(peek.parts.size(), 1U);
  EXPECT_EQ(peek.parts[0].refusal, "");
  EXPECT_GT(peek.parts[0].num_records, 0);
}

TEST_F(DatasetTrialTest, TriesLinesOfJson) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) {
    text += i == 9'990 ? "{\"t\": 1\n" : "{\"t\": \"2026-01-01\", \"y\": \"a\"}\n";
  }
  data_.Write("a.jsonl", text);
  const DatasetPeek peek =
      Peek("format: jsonl\nevent_time: {column: t}\nlabel: {column: y, classes: [a]}");
  ASSERT_EQ(peek.parts.size(), 3U);
  EXPECT_EQ(peek.parts[0].num_left_out + peek.parts[1].num_left_out, 0);
  EXPECT_EQ(peek.parts[2].num_left_out, 1);
}

TEST_F(DatasetTrialTest, TriesRecordsOfFixedSize) {
  std::string bytes(16, 'h');
  for (int i = 0; i < 50'000; ++i) bytes += std::string(7, 'x') + (i == 25'010 ? '\x07' : '\x01');
  data_.Write("a.bin", bytes + "half");
  const DatasetPeek peek = Peek(R"(
format: {type: binary, header_bytes: 16, record_bytes: 8}
event_time: {mtime: true}
label: {record: {offset: 7}, classes: [a, b]}
)");
  ASSERT_EQ(peek.parts.size(), 3U);
  EXPECT_EQ(peek.parts[0].num_left_out, 0);
  EXPECT_EQ(peek.parts[0].samples.at(0).bytes, "xxxxxxx");
  EXPECT_EQ(peek.parts[0].samples.at(0).class_label, 1);
  EXPECT_EQ(peek.parts[1].num_left_out, 1);
  EXPECT_THAT(peek.parts[2].reasons.at(0).reason, HasSubstr("ends within a record"));
}

TEST_F(DatasetTrialTest, FindsTfRecordsInTheMiddleOfAFile) {
  std::string bytes;
  for (int i = 0; i < 4'000; ++i) {
    std::string record = testing::TfRecord(std::string(100, static_cast<char>(i)));
    if (i == 3'990) record[50] ^= 1;
    bytes += record;
  }
  data_.Write("a.tfrecord", bytes);
  const DatasetPeek peek = Peek("format: tfrecord\nevent_time: {mtime: true}");
  ASSERT_EQ(peek.parts.size(), 3U);
  EXPECT_GT(peek.parts[1].num_records, 500);
  EXPECT_EQ(peek.parts[1].num_left_out, 0);
  EXPECT_EQ(peek.parts[2].num_left_out, 1);
}

TEST_F(DatasetTrialTest, TriesTheSamplesOfAnArchive) {
  std::string tar;
  for (int i = 0; i < 10; ++i) {
    tar += testing::TarMemberBytes({.name = fmt::format("{}.bin", i), .bytes = "12345678"});
    tar += testing::TarMemberBytes({.name = fmt::format("{}.cls", i), .bytes = i == 4 ? "q" : "a"});
  }
  data_.Write("a.tar", tar + testing::TarEnd());
  const DatasetPeek peek = Peek(R"(
format: {type: tar, payload: [bin]}
event_time: {mtime: true}
label: {member: cls, classes: [a]}
)");
  ASSERT_EQ(peek.parts.size(), 1U);
  EXPECT_EQ(peek.parts[0].num_left_out, 1);
  EXPECT_EQ(peek.parts[0].samples.size(), 9U);
  EXPECT_EQ(peek.parts[0].samples[0].bytes, "12345678");
}

TEST_F(DatasetTrialTest, TriesFilesWithTheirSidecarsFromTheFirstToTheLast) {
  for (int i = 10; i < 50; ++i) {
    data_.Write(fmt::format("{}.JPG", i), "image");
    data_.Write(fmt::format("{}.time", i), i == 49 ? "never" : "2026-01-01");
  }
  data_.Remove("10.time");
  data_.Write("10.JPG.time", "2026-01-01");
  const DatasetPeek peek = Peek("format: single_file\nevent_time: {sidecar: .time}");
  EXPECT_EQ(peek.num_files, 40);
  ASSERT_EQ(peek.parts.size(), 16U);
  EXPECT_THAT(peek.parts.front().refusal, HasSubstr("10.time"));
  EXPECT_EQ(peek.parts[1].samples.at(0).bytes, "image");
  EXPECT_EQ(peek.parts.back().file, "49.JPG");
  EXPECT_THAT(peek.parts.back().refusal, HasSubstr("never"));
}

TEST_F(DatasetTrialTest, CountsFoldersThatAreNotClasses) {
  for (const char* name : {"cat/1.png", "cat/2.png", "dgo/1.png", "top.png"}) {
    data_.Write(name, "image");
  }
  const DatasetPeek peek = Peek(R"(
format: single_file
event_time: {mtime: true}
label: {folder: true, classes: [cat, dog]}
)");
  ASSERT_EQ(peek.unknown_folders.size(), 2U);
  EXPECT_EQ(peek.unknown_folders[0].name, ".");
  EXPECT_EQ(peek.unknown_folders[1].name, "dgo");
  EXPECT_EQ(peek.unknown_folders[1].num_files, 1);
}

TEST_F(DatasetTrialTest, SaysWhyItLooksAtNothing) {
  const std::string closed = data_.Write("a/a.csv", Rows(1));
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  if (access(closed.c_str(), R_OK) != 0) {
    EXPECT_THAT(Peek(kCsv).not_looked, HasSubstr("a.csv"));
  }
  std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
  // An archive of which reading all would take long; its bytes are a hole.
  data_.Write("b.tar", "x");
  std::filesystem::resize_file(data_.path() + "/b.tar", (int64_t{64} << 20) + 1);
  const DatasetPeek peek =
      Peek("files: '*.tar'\nformat: {type: tar, payload: [bin]}\nevent_time: {mtime: true}");
  EXPECT_THAT(peek.not_looked, HasSubstr("b.tar has more than 64 MiB"));
  EXPECT_THAT(peek.parts, IsEmpty());
}

TEST_F(DatasetTrialTest, ASpecThatNoFormatTakesStillShowsTheFirstFile) {
  data_.Write("a.jsonl", "{\"t\": 1}\n");
  const DatasetPeek peek =
      Peek("format: jsonl\nevent_time: {column: t, time_zone: Europe/Zurrich}");
  ASSERT_EQ(peek.parts.size(), 1U);
  EXPECT_THAT(peek.parts[0].refusal, HasSubstr("Zurrich"));
}

}  // namespace
}  // namespace tidemill::storage

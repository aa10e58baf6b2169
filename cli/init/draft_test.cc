// Whole drafts of files on disk.
#include "cli/init/draft.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "cli/init/draft_parts.h"
#include "cli/init/look/utf8_copy.h"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class DraftTest : public ::testing::Test {
 protected:
  DraftTest() {
    std::string pattern = "/tmp/draft-test-XXXXXX";
    folder_ = std::filesystem::canonical(mkdtemp(pattern.data()));
    unsetenv("TIDEMILL_DATA");
  }
  ~DraftTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  DraftOptions Options(const std::string& path) const {
    return {.path = path, .output = folder_ + "/pipeline.yaml", .command = "tidemill init"};
  }
  absl::StatusOr<PipelineDraft> Draft(const std::string& path) const {
    return DraftPipeline(Options(path));
  }
  std::string Text(const std::string& path) const {
    const auto draft = Draft(path);
    EXPECT_THAT(draft.status(), IsOk());
    return draft.ok() ? PipelineText(*draft) : "";
  }

  std::string folder_;
};

std::string Rows(int num_rows, const std::string& header = "time,a,label\n") {
  std::string text = header;
  for (int row = 0; row < num_rows; ++row) {
    text += fmt::format("2024-01-{:02}T{:02}:00:00Z,{},{}\n", 1 + row / 24 % 28, row % 24,
                        row * 31 % 97 / 8.0, row % 3 == 0 ? "x" : "y");
  }
  return text;
}

std::string CountedRows(int num_rows, const std::string& month) {
  std::string text = "sno,date,light,label\n";
  for (int row = 0; row < num_rows; ++row) {
    text += fmt::format("{},{}-{:02}T{:02}:00:00Z,{},{}\n", row + 1, month, 1 + row / 24, row % 24,
                        row * 31 % 97 / 8.0, row % 3 == 0 ? "x" : "y");
  }
  return text;
}

TEST_F(DraftTest, EachGuessHasItsReasonBeforeIt) {
  const std::string text = Text(Write("My data.csv", Rows(100)));
  EXPECT_THAT(text, HasSubstr("name: my_data\n"));
  EXPECT_THAT(text, HasSubstr("    path: \".\"\n    files: My data.csv\n"));
  EXPECT_THAT(text, HasSubstr("    # label: the name 'label' says that it is the label; it has 2 "
                              "different texts, so the task is\n"));
  EXPECT_THAT(text, HasSubstr("    label: {column: label, classes: [x, y]}\n"));
  EXPECT_THAT(text, HasSubstr("all 100 records"));
  EXPECT_THAT(text, Not(HasSubstr("not known")));
}

TEST_F(DraftTest, WhatIsNotKnownIsInTheHeadOfTheFile) {
  const auto draft = Draft(Write("a.csv", "a,b,c\n1.5,2.5,u\n3.5,4.5,v\n5.5,6.5,u\n7.5,6.5,v\n"));
  ASSERT_THAT(draft.status(), IsOk());
  EXPECT_THAT(draft->Unknown(), Contains(HasSubstr("--label COLUMN")));
  EXPECT_THAT(PipelineText(*draft), HasSubstr("# Not known:\n# - when the records happened"));
}

TEST_F(DraftTest, AFileOutsideOfThePipelinesFolderIsRefusedWithTheWaysOut) {
  const std::string path = Write("data/a.csv", Rows(50));
  DraftOptions options = Options(path);
  options.output = folder_ + "/other/pipeline.yaml";
  EXPECT_THAT(DraftPipeline(options).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("export TIDEMILL_DATA=")));
  setenv("TIDEMILL_DATA", folder_.c_str(), 1);
  const auto draft = DraftPipeline(options);
  unsetenv("TIDEMILL_DATA");
  ASSERT_THAT(draft.status(), IsOk());
  EXPECT_EQ(draft->dataset[0].value, "\"${TIDEMILL_DATA}/data\"");
}

TEST_F(DraftTest, AFolderIsReadByItsMostFrequentKindOfFiles) {
  Write("data/a.csv", Rows(50));
  Write("data/b.csv", Rows(50));
  Write("data/notes.json", "{}");
  const std::string text = Text(folder_ + "/data");
  EXPECT_THAT(text, HasSubstr("files: \"**/*.csv\""));
  EXPECT_THAT(text, HasSubstr("2 files match; 1 other file of the folder does not"));
  EXPECT_THAT(text, HasSubstr("all 100 records"));
}

TEST_F(DraftTest, FilesWithAnotherHeaderAreNamed) {
  Write("data/a.csv", Rows(50));
  Write("data/b.csv", Rows(50, "time,label,a\n"));
  const auto draft = Draft(folder_ + "/data");
  ASSERT_THAT(draft.status(), IsOk());
  EXPECT_THAT(draft->Unknown(), Contains(HasSubstr("files such as 'b.csv', whose header is not")));
}

TEST_F(DraftTest, ClassesAreThoseOfAllFiles) {
  for (int file = 0; file < 100; ++file) {
    std::string text = "t,x,station,kind\n";
    for (int row = 0; row < 40; ++row) {
      text += fmt::format("2024-01-01T00:{:02}:00Z,{},S{:02},{}\n", row, row * 7 % 11 / 2.0, file,
                          row % 2 == 0 ? "both" : fmt::format("k{}", file % 3));
    }
    Write(fmt::format("data/{:02}.csv", file), text);
  }
  const auto draft = Draft(folder_ + "/data");
  ASSERT_THAT(draft.status(), IsOk());
  EXPECT_THAT(draft->dataset[4].value, HasSubstr("column: kind"));
  EXPECT_THAT(draft->dataset[4].value, HasSubstr("k1"));
  EXPECT_THAT(draft->looked_at, HasSubstr("in 64 of 100 files"));
  EXPECT_THAT(draft->Unknown(), Contains(HasSubstr("in 64 of 100 files; a record of another")));
}

TEST_F(DraftTest, ARecordCounterIsLeftOutOfAFolder) {
  Write("data/a.csv", CountedRows(200, "2024-01"));
  Write("data/b.csv", CountedRows(200, "2024-02"));
  const auto draft = Draft(folder_ + "/data");
  ASSERT_THAT(draft.status(), IsOk());
  EXPECT_THAT(draft->left_out, Contains(HasSubstr("'sno': it names or counts the records")));
}

TEST_F(DraftTest, LinesBeforeTheHeaderAreSkippedAndNeverAClass) {
  const std::string commented = Text(Write("a.csv", "# Station 42, logger 3\n" + Rows(60)));
  EXPECT_THAT(commented, HasSubstr("format: {type: csv, skip: 1}"));
  EXPECT_THAT(commented, HasSubstr("label: {column: label, classes: [x, y]}"));
  EXPECT_THAT(commented, HasSubstr("such as '# Station 42,"));
  const std::string excel =
      Text(Write("b.csv", "sep=;\r\na;b;label\r\n1;2,5;x\r\n3;4,5;y\r\n1;7;x\r\n2;1;y\r\n"));
  EXPECT_THAT(excel, HasSubstr("{type: csv, delimiter: \";\", skip: 1, decimal: \",\"}"));
  EXPECT_THAT(excel, HasSubstr("classes: [x, y]"));
  const std::string twice = Text(Write("c.csv", Rows(60, "time,a,a\n")));
  EXPECT_THAT(twice, HasSubstr("skip: 1, header: false, columns: [time, a, a_2]"));
  EXPECT_THAT(twice, HasSubstr("not known: how the columns are called"));
}

TEST_F(DraftTest, AmountsAreNumbersHoweverTheyAreWritten) {
  std::string text = "datum;betrag;gewicht;ziel\n";
  for (int row = 0; row < 100; ++row) {
    text += fmt::format("{:02}.{:02}.2024;{}.{:03},{:02};{} kg;{}\n", 1 + row % 28, 1 + row / 28,
                        1 + row % 8, row * 37 % 1000, row % 100, row % 9, row % 8 > 3 ? "a" : "b");
  }
  const std::string german = Text(Write("a.csv", text));
  EXPECT_THAT(german, HasSubstr("decimal: \",\", thousands: \".\","));
  EXPECT_THAT(german, HasSubstr("units: {gewicht: kg}"));
  EXPECT_THAT(german, HasSubstr("parse_csv: {columns: [betrag, gewicht]}"));
}

TEST_F(DraftTest, AllLinesAreLookedAtForNames) {
  std::string lines;
  for (int row = 0; row < 1500; ++row) {
    const char* const names[] = {"page", "items", "amount"};
    lines += fmt::format(R"({{"t": {}, "event": "{}", "{}": {}}})", 1'767'225'600 + row, row % 2,
                         names[row % 3], row * 7 % 9 / 2.0) +
             "\n";
  }
  EXPECT_THAT(Text(Write("a.jsonl", lines + "{\"t\": 1767227100, \"rare\": 2}\n")),
              AllOf(HasSubstr("fields: [event, page, items]"), HasSubstr("label: {column: amount"),
                    HasSubstr("- 'rare': it always has the same value")));
}

TEST_F(DraftTest, OfALargeFileOnlyAPartIsRead) {
  const auto draft = Draft(Write("a.csv", Rows(400'000)));
  ASSERT_THAT(draft.status(), IsOk());
  EXPECT_THAT(draft->looked_at, HasSubstr(" of about 399,9"));
  EXPECT_THAT(draft->looked_at, HasSubstr("4.2 MiB of 11 MiB"));
  EXPECT_THAT(draft->Unknown(), Contains(HasSubstr("whether there are more classes")));
}

TEST_F(DraftTest, AnswersOfAPersonTakeThePlaceOfGuesses) {
  DraftOptions options =
      Options(Write("a.csv", "a,b,c\n1.5,2.5,u\n3.5,4.5,v\n5.5,6.5,u\n7.5,4.5,v\n9.5,2.5,u\n"));
  int asked = 0;
  options.ask = [&](const std::string& question) {
    EXPECT_THAT(question, HasSubstr("which column is the label? 'a', 'b' and 'c' [c]"));
    return ++asked == 1 ? "z" : "a";
  };
  const auto draft = DraftPipeline(options);
  ASSERT_THAT(draft.status(), IsOk());
  EXPECT_EQ(asked, 2);
  EXPECT_THAT(draft->dataset[4].value, HasSubstr("column: a"));
  EXPECT_THAT(draft->dataset[4].unknown, IsEmpty());
}

TEST_F(DraftTest, FieldsNestedTooDeeplyAreLeftOutAndSaidSo) {
  std::string deep;
  for (int level = 0; level < 20'000; ++level) deep += "{\"a\":";
  deep += "1" + std::string(20'000, '}');
  std::string lists = std::string(20'000, '[') + std::string(20'000, ']');
  const auto draft = Draft(Write("deep.jsonl",
                                 "{\"a\": 1, \"label\": \"x\"}\n{\"a\": 2, \"label\": \"y\", "
                                 "\"deep\": " +
                                     deep + ", \"list\": " + lists + "}\n"));
  ASSERT_THAT(draft.status(), IsOk());
  EXPECT_THAT(PipelineText(*draft),
              HasSubstr("fields nested more than 100 levels deep are left out"));
  EXPECT_THAT(Draft(Write("only.jsonl", "{\"deep\": " + deep + "}\n")).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most 100 levels deep")));
}

TEST_F(DraftTest, OptionsThatDoNothingAreRefused) {
  DraftOptions options =
      Options(Write("a.jsonl", "{\"a\": 1, \"label\": \"x\"}\n{\"a\": 2, \"label\": \"y\"}\n"));
  options.csv.delimiter = ";";
  EXPECT_THAT(DraftPipeline(options).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("for CSV files")));
}

TEST_F(DraftTest, DataThatCannotBeGuessedSaysWhatToDo) {
  EXPECT_THAT(Draft(folder_ + "/none.csv").status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("does not exist")));
  EXPECT_THAT(
      Draft(folder_).status(),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("ends in one of .csv, .tsv, .tab, .txt")));
  EXPECT_THAT(Draft(Write("a.json", "[{\"a\": 1}]")).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("jq -c '.[]'")));
  EXPECT_THAT(Draft(Write("a.parquet", "PAR1\x15\x04rest of it")).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Parquet")));
  EXPECT_THAT(Draft(Write("empty.csv", "\n")).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is empty")));
  EXPECT_THAT(Draft(Write("header.csv", "a,b\n")).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no records")));
}

TEST_F(DraftTest, AFolderOfJsonAloneHasTheDataInIt) {
  const std::string lines = "{\"a\": 1, \"label\": \"x\"}\n{\"a\": 2, \"label\": \"y\"}\n";
  Write("a.json", lines);
  Write("b.json", lines);
  const auto draft = Draft(folder_);
  ASSERT_THAT(draft.status(), IsOk());
  EXPECT_THAT(draft->dataset[1].value, HasSubstr("*.json"));
  // Beside other data they are about it.
  Write("c.csv", "a,label\n1,x\n2,y\n3,x\n");
  const auto table = Draft(folder_);
  ASSERT_THAT(table.status(), IsOk());
  EXPECT_THAT(table->dataset[1].value, HasSubstr(".csv"));
}

TEST_F(DraftTest, AFileInLatin1IsCopied) {
  const std::string path = Write("a.csv",
                                 "gr\xf6\xdf"
                                 "e;\x80\n1;ja\n");
  EXPECT_THAT(Draft(path).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--convert")));
  const auto copy = CopyAsUtf8(path, /*overwrite=*/false);
  ASSERT_THAT(copy.status(), IsOk());
  EXPECT_EQ(*copy, folder_ + "/a.utf8.csv");
  EXPECT_EQ(*files::Read(*copy),
            "gr\xc3\xb6\xc3\x9f"
            "e;\xe2\x82\xac\n1;ja\n");
  EXPECT_THAT(CopyAsUtf8(path, /*overwrite=*/false).status(),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("--force")));
  EXPECT_EQ(CopyAsUtf8(*copy, /*overwrite=*/false).value_or(""), *copy);
}

TEST_F(DraftTest, FieldsWithinJsonObjectsAreColumns) {
  std::string lines;
  for (int row = 0; row < 60; ++row) {
    lines += fmt::format(R"({{"at": {}, "x": {{"a b": {}, "c": [{}, "t"]}}, "label": {}}})",
                         1'700'000'000 + row, row * 7 % 11 / 2.0, row % 5, row % 2 == 0) +
             "\n";
  }
  const std::string text = Text(Write("a.ndjson", lines + "{broken\n"));
  EXPECT_THAT(text, HasSubstr("parse_json: {fields: [x.a b, \"x.c[0]\"]"));
  EXPECT_THAT(text, HasSubstr("label: {column: label, classes: [\"false\", \"true\"]}"));
  EXPECT_THAT(text, HasSubstr("event_time: {column: at, format: unix}"));
  EXPECT_THAT(text, HasSubstr("1 of 61 lines are not, and will be left out"));
}

TEST(NameFromPath, IsMadeOfLettersAndDigits) {
  EXPECT_EQ(NameFromPath("/data/Air Quality (2).csv.gz"), "air_quality_2");
  EXPECT_EQ(NameFromPath("/data/\xc3\xa9.csv"), "mine");
}

}  // namespace
}  // namespace tidemill::cli

#include "storage/foreign/foreign_records.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TfExample;
using testing::TfRecord;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

constexpr char kCsv[] = R"(
path: /data
format: {type: csv, columns: [time, price, place, class]}
event_time: {column: time, format: unix}
label: {column: class, classes: [DOWN, UP]}
)";
constexpr char kJson[] = R"(
path: /data
format: {type: jsonl}
label: {column: class, classes: [DOWN, UP]}
)";

MATCHER_P2(Is, row, reason, "") {
  return arg.row == row && !arg.filtered && arg.reason.find(reason) != std::string::npos;
}
MATCHER_P2(IsFiltered, row, reason, "") {
  return arg.row == row && arg.filtered && arg.reason.find(reason) != std::string::npos;
}
MATCHER_P2(Lacks, row, kind, "") { return arg.record == row && arg.kind == kind; }
using Kind = UnknownFact::Kind;

class ForeignRecordsTest : public ::testing::Test {
 protected:
  ForeignRecordsTest() {
    std::string folder = (std::filesystem::temp_directory_path() / "foreign.XXXXXX").string();
    folder_ = mkdtemp(folder.data());
  }
  ~ForeignRecordsTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // Reads all blocks as one.
  absl::StatusOr<ForeignBlock> Read(const std::string& spec, const std::vector<std::string>& inputs,
                                    int64_t most = 3) {
    const auto decoded = config::ReadKept<DatasetSpec>(spec, "dataset");
    RETURN_IF_ERROR(decoded.status());
    ASSIGN_OR_RETURN(records_, ForeignRecords::Open(*decoded, {.inputs = inputs}));
    ForeignBlock all;
    while (true) {
      ForeignBlock block;
      ASSIGN_OR_RETURN(const bool has_more, records_->Next(most, block));
      if (!has_more) return all;
      EXPECT_LE(std::ssize(block.rows), most);
      const auto append = [](auto& to, auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      append(all.records, block.records);
      append(all.rows, block.rows);
      append(all.event_times, block.event_times);
      append(all.class_labels, block.class_labels);
      append(all.real_labels, block.real_labels);
      append(all.left_out, block.left_out);
      append(all.unknown, block.unknown);
    }
  }

  absl::StatusOr<ForeignBlock> ReadText(const std::string& spec, const std::string& text) {
    return Read(spec, {Write("input", text)});
  }

  std::string folder_;
  std::unique_ptr<ForeignRecords> records_;
};

TEST_F(ForeignRecordsTest, AFileLikeThoseOfTheDatasetIsReadUnchanged) {
  const auto read =
      ReadText(kCsv, "time,price,place,class\n1000000000,2.5,a,UP\n1000000001,3,b,\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->records, ElementsAre("1000000000,2.5,a,UP", "1000000001,3,b,"));
  EXPECT_THAT(read->rows, ElementsAre(1, 2));
  EXPECT_THAT(read->event_times, ElementsAre(1'000'000'000'000'000, 1'000'000'001'000'000));
  EXPECT_THAT(read->class_labels, ElementsAre(1, std::nullopt));
  EXPECT_THAT(records_->notes(), IsEmpty());
}

TEST_F(ForeignRecordsTest, ColumnsInAnotherOrderAndByAnotherDelimiterGoToTheirPlaces) {
  const auto read = ReadText(kCsv, "class;more;place;price;time\nUP;x;\"a;b\";1,5;1000000000\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->records, ElementsAre("1000000000,\"1,5\",a;b,UP"));
  EXPECT_THAT(records_->notes(), ElementsAre(HasSubstr("the delimiter is ';'")));
}

TEST_F(ForeignRecordsTest, MissingLabelsAndTimesCostNothing) {
  const auto read = ReadText(kCsv, "price,place\n2.5,a\n3,b\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->records, ElementsAre(",2.5,a,", ",3,b,"));
  EXPECT_THAT(records_->missing_columns(), ElementsAre("time", "class"));
  EXPECT_THAT(read->class_labels, ElementsAre(std::nullopt, std::nullopt));
}

TEST_F(ForeignRecordsTest, RowsThatCannotBeReadAreNamed) {
  const auto read = ReadText(
      kCsv,
      "place,price,time,class\na,1,1000000000,UP\nb,2\n\nc,3,yesterday,UP\nd,4,1000000003,LEFT\n"
      "e,5,1000000004,DOWN\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->rows, ElementsAre(1, 4, 5));
  EXPECT_THAT(read->left_out, ElementsAre(Is(2, "2 fields"), Is(3, "yesterday")));
}

TEST_F(ForeignRecordsTest, ALabelThatIsNotAClassCostsTheScoreOfItsRow) {
  const auto read = ReadText(kCsv, "time,price,place,class\n1,2.5,a,UP\n2,3,b,open\n3,4,c,\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->class_labels, ElementsAre(1, std::nullopt, std::nullopt));
  EXPECT_THAT(read->left_out, IsEmpty());
  ASSERT_THAT(read->unknown, ElementsAre(Lacks(2, Kind::kLabel)));
  EXPECT_THAT(read->unknown[0].reason, HasSubstr("'open'"));
  const auto json = ReadText(kJson, "{\"class\": \"DOWN\"}\n{\"class\": [1]}\n");
  ASSERT_THAT(json, IsOk());
  EXPECT_THAT(json->class_labels, ElementsAre(0, std::nullopt));
  EXPECT_THAT(json->unknown, ElementsAre(Lacks(2, Kind::kLabel)));
}

TEST_F(ForeignRecordsTest, ARowWithoutATimeHappensNow) {
  const int64_t before = Now().micros;
  const auto read = ReadText(kCsv, "time,price,place,class\n,2.5,a,UP\n1000000000,3,b,UP\n");
  ASSERT_THAT(read, IsOk());
  ASSERT_THAT(read->rows, ElementsAre(1, 2));
  EXPECT_GE(read->event_times[0], before);
  EXPECT_EQ(read->event_times[1], 1'000'000'000'000'000);
  EXPECT_THAT(read->unknown, ElementsAre(Lacks(1, Kind::kTime)));
  const auto json = ReadText(std::string(kJson) + "event_time: {column: t}\n",
                             "{\"x\": 1}\n{\"t\": null}\n{\"t\": \"\"}\n{\"t\": \"soon\"}\n");
  ASSERT_THAT(json, IsOk());
  EXPECT_THAT(json->rows, ElementsAre(1, 2, 3));
  EXPECT_GE(json->event_times[2], before);
  EXPECT_THAT(json->unknown,
              ElementsAre(Lacks(1, Kind::kTime), Lacks(2, Kind::kTime), Lacks(3, Kind::kTime)));
  EXPECT_THAT(json->left_out, ElementsAre(Is(4, "soon")));
  const auto computed = ReadText(
      std::string(kJson) + "event_time: {expression: \"time(concat(d, ' ', h), '%Y-%m-%d %H')\"}\n",
      "{\"x\": 1}\n{\"d\": \"2026-01-01\", \"h\": \"3\"}\n");
  ASSERT_THAT(computed, IsOk());
  EXPECT_THAT(computed->rows, ElementsAre(1, 2));
  EXPECT_THAT(computed->unknown, ElementsAre(Lacks(1, Kind::kTime)));
}

TEST_F(ForeignRecordsTest, AnExampleNeedsNeitherItsTimeNorItsLabel) {
  const std::string spec =
      "{path: /data, format: {type: tfrecord}, event_time: {column: at, format: unix}, "
      "label: {column: label}}";
  const auto read =
      ReadText(spec, TfRecord(TfExample({.ints = {{"label", 1}, {"at", 5}}})) +
                         TfRecord(TfExample({.ints = {{"x", 7}}})) +
                         TfRecord(TfExample({.ints = {{"at", 6}}, .bytes = {{"label", "maybe"}}})));
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->rows, ElementsAre(1, 2, 3));
  EXPECT_EQ(read->event_times[0], 5'000'000);
  EXPECT_THAT(read->unknown, ElementsAre(Lacks(2, Kind::kTime), Lacks(3, Kind::kLabel)));
}

TEST_F(ForeignRecordsTest, ATimeOfTwoColumnsOfWhichOneIsEmptyIsMissing) {
  const std::string spec =
      "path: /data\nformat: {type: csv, columns: [day, hour, x]}\n"
      "event_time: {columns: [day, hour], format: \"%Y-%m-%d %H\"}\n";
  const auto read = ReadText(spec, "day,hour,x\n2026-01-01,,1\n2026-01-01,3,2\n2026-01-01,x,3\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->rows, ElementsAre(1, 2));
  EXPECT_THAT(read->unknown, ElementsAre(Lacks(1, Kind::kTime)));
  EXPECT_THAT(read->left_out, ElementsAre(Is(3, "2026-01-01 x")));
}

TEST_F(ForeignRecordsTest, ARowWhoseFieldsAreAllEmptyIsARow) {
  const auto read = ReadText(kCsv, "price,more\n1,7\n,7\n,\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->records, ElementsAre(",1,,", ",,,", ",,,"));
  EXPECT_THAT(read->left_out, IsEmpty());
  const auto json = ReadText(kCsv, "{\"price\": 1}\n{\"price\": null}\n");
  ASSERT_THAT(json, IsOk());
  EXPECT_THAT(json->records, ElementsAre(",1,,", ",,,"));
  // The line of a dataset with one column would have no byte.
  const auto one =
      ReadText("{path: /data, format: {type: csv, columns: [x]}}", "{\"x\": null}\n{\"x\": 2}\n");
  ASSERT_THAT(one, IsOk());
  EXPECT_THAT(one->records, ElementsAre("\"\"", "2"));
  EXPECT_THAT(one->rows, ElementsAre(1, 2));
}

// `where` keeps what has no label yet from a training. What is asked for predictions of has none.
TEST_F(ForeignRecordsTest, AConditionOnTheLabelIsNotAppliedWhereTheLabelIsMissing) {
  const std::string spec =
      "path: /data\nformat: {type: csv, columns: [x, delay]}\n"
      "label: {expression: \"delay > 15\", classes: [low, high]}\n"
      "where: \"delay is not null and delay < 900 and x < 5\"\n";
  const auto read = ReadText(spec, "x,delay\n1,20\n2,\n3,NA\n4,1000\n9,20\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->rows, ElementsAre(1, 2, 3));
  EXPECT_THAT(read->class_labels, ElementsAre(1, std::nullopt, std::nullopt));
  EXPECT_THAT(read->unknown, ElementsAre(Lacks(2, Kind::kCondition), Lacks(3, Kind::kCondition)));
  EXPECT_THAT(read->left_out, ElementsAre(IsFiltered(4, "where"), IsFiltered(5, "where")));
  const std::string of_column = std::string(kCsv) + "where: \"class != 'open' and price > 0\"\n";
  const auto named = ReadText(of_column, "time,price,place,class\n1,1,a,open\n2,0,a,UP\n");
  ASSERT_THAT(named, IsOk());
  EXPECT_THAT(named->rows, ElementsAre(1));
  EXPECT_THAT(named->unknown, ElementsAre(Lacks(1, Kind::kLabel), Lacks(1, Kind::kCondition)));
  EXPECT_THAT(named->left_out, ElementsAre(IsFiltered(2, "where")));
}

TEST_F(ForeignRecordsTest, NumbersOfJsonHaveThePointThatADatasetWithDecimalCommasHasNot) {
  const std::string spec =
      "path: /data\nformat: {type: csv, delimiter: \";\", decimal: \",\", columns: [x, name, y]}\n"
      "label: {column: y, kind: real}\n";
  const auto read = ReadText(spec, "{\"x\": 1.5, \"name\": \"v1.5\", \"y\": 2.5}\n{\"x\": 2}\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->records, ElementsAre("1,5;v1.5;2,5", "2;;"));
  EXPECT_THAT(read->real_labels, ElementsAre(2.5, std::nullopt));
}

TEST_F(ForeignRecordsTest, AHeaderThatNamesAColumnTwiceIsRefused) {
  EXPECT_THAT(ReadText(kCsv, "price,price,place\n1,2,a\n").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("names 'price' twice")));
  EXPECT_THAT(ReadText(kJson, "class,x,x\nUP,2,3\n").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("names 'x' twice")));
}

TEST_F(ForeignRecordsTest, JsonThatIsNotOneObjectALineIsRefusedByName) {
  for (const std::string& spec : {std::string(kCsv), std::string(kJson)}) {
    EXPECT_THAT(ReadText(spec, "[{\"price\": 1},\n{\"price\": 2}]\n").status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("jq -c '.[]'")));
    EXPECT_THAT(ReadText(spec, "{\n  \"price\": 1\n}\n").status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 2 continues")));
  }
}

TEST_F(ForeignRecordsTest, TextThatIsNeitherJsonNorAHeaderIsRefused) {
  const auto spec = config::ReadKept<DatasetSpec>(kJson, "dataset");
  ASSERT_THAT(spec, IsOk());
  const auto open = [&](const std::string& text) {
    return ForeignRecords::Open(*spec, {.inputs = {Write("input", text)}, .fields = {"price"}})
        .status();
  };
  EXPECT_THAT(open("not json\n"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 1")));
  EXPECT_THAT(open("not json\n{\"price\": 1}\n"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'not json'")));
  EXPECT_THAT(open("price,more\n1,2\n"), IsOk());
}

TEST_F(ForeignRecordsTest, AFieldThatTheFirstLineOfJsonLacksMayBeInOthers) {
  const auto read = ReadText(kCsv, "{\"price\": 1}\n{\"price\": 2, \"class\": \"UP\"}\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(records_->missing_columns(), ElementsAre("time", "place"));
  EXPECT_THAT(read->class_labels, ElementsAre(std::nullopt, 1));
}

TEST_F(ForeignRecordsTest, RowsInLatin1AreCounted) {
  const auto read = ReadText(kCsv, "time,price,place,class\n1,1,M\xfcnchen,UP\n2,2,Bonn,UP\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->rows, ElementsAre(1, 2));
  EXPECT_THAT(read->unknown, ElementsAre(Lacks(1, Kind::kEncoding)));
  const auto json = ReadText(kJson, "class,place\nUP,M\xfcnchen\nUP,Bonn\n");
  ASSERT_THAT(json, IsOk());
  EXPECT_THAT(json->rows, ElementsAre(2));
  EXPECT_THAT(json->left_out, ElementsAre(Is(1, "UTF-8")));
}

TEST_F(ForeignRecordsTest, AHeaderMayBeLongAndGoOverLines) {
  std::string columns = "time, price, place, class";
  std::string header = "class,time";
  std::string row = "UP,1000000000";
  for (int i = 0; i < 20'000; ++i) {
    columns += fmt::format(", column_{}", i);
    header += fmt::format(",column_{}", i);
    row += ",1";
  }
  std::string spec = kCsv;
  spec.replace(spec.find("time, price, place, class"), 25, columns);
  const auto read = ReadText(spec, header + "\n" + row + "\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->rows, ElementsAre(1));
  EXPECT_THAT(ReadText(kCsv, "price," + std::string(3 << 20, 'x') + "\n1,2\n").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not end within")));
  const std::string with_line_end =
      "path: /data\nformat: {type: csv, columns: [t, \"x\\n(cm)\"]}\n";
  EXPECT_THAT(ReadText(with_line_end, "t,\"x\n(cm)\"\n1,2\n")->records, ElementsAre("1,2"));
  EXPECT_THAT(ReadText(with_line_end, "\n\"x\n(cm)\",t\n1,2\n")->records, ElementsAre("2,1"));
}

// It is read once and not kept: a file of it may be larger than memory.
TEST_F(ForeignRecordsTest, ARowWithoutAnEndCostsItselfAlone) {
  const std::string endless(20 << 20, 'x');
  const auto csv =
      ReadText(kCsv, "time,price,place,class\n1,1,a,UP\n2," + endless + "\n3,3,c,UP\n");
  ASSERT_THAT(csv, IsOk());
  EXPECT_THAT(csv->rows, ElementsAre(1, 3));
  EXPECT_THAT(csv->left_out, ElementsAre(Is(2, "longer than format.max_record")));
  const auto json = ReadText(kJson, "{\"x\": \"" + endless + "\"}\n{\"x\": 2}\n" + endless);
  ASSERT_THAT(json, IsOk());
  EXPECT_THAT(json->rows, ElementsAre(2));
  EXPECT_THAT(json->left_out, ElementsAre(Is(1, "longer than format.max_record"),
                                          Is(3, "longer than format.max_record")));
}

TEST_F(ForeignRecordsTest, JsonLinesAreReadForADatasetOfCsvFiles) {
  const auto read = ReadText(
      kCsv, "{\"price\": 2.5, \"place\": \"a,b\", \"more\": [1]}\n{\"price\": [1]}\nnothing\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->records, ElementsAre(",2.5,\"a,b\","));
  EXPECT_THAT(read->left_out, ElementsAre(Is(2, "price"), Is(3, "not a JSON object")));
}

TEST_F(ForeignRecordsTest, AJsonLineThatIsTooLongCountsOnce) {
  const std::string long_line = "{\"place\": \"" + std::string(5 << 20, 'x') + "\"}\n";
  const auto read = ReadText(kCsv, "{\"price\": 1}\n" + long_line + "{\"price\": 3}\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->records, ElementsAre(",1,,", ",3,,"));
  EXPECT_THAT(read->rows, ElementsAre(1, 3));
  EXPECT_THAT(read->left_out, ElementsAre(Is(2, "longer than")));
}

TEST_F(ForeignRecordsTest, CsvIsReadForADatasetOfJsonLines) {
  const auto read = ReadText(kJson, "class,price,place\nUP,2.5,a\nDOWN,,b c\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->records, ElementsAre("{\"class\":\"UP\",\"price\":2.5,\"place\":\"a\"}",
                                         "{\"class\":\"DOWN\",\"price\":null,\"place\":\"b c\"}"));
  EXPECT_THAT(read->class_labels, ElementsAre(1, 0));
}

// Two groups, a gap in time, and a label that no row is ahead for.
TEST_F(ForeignRecordsTest, AWindowOfASeriesDoesNotWaitForItsLabel) {
  const std::string spec =
      "path: /data\nformat: {type: csv, columns: [time, place, level]}\n"
      "event_time: {column: time, format: unix}\n"
      "series: {group: place, history: {}, horizon: 2, target: level, step: 1s}\n";
  const std::string text =
      "time,place,level\n0,a,10\n1,a,11\n2,a,12\n3,a,13\n0,b,20\n1,b,21\n5,b,25\n6,b,26\n7,b,27\n";
  const auto windows_of = [&](const std::string& history) {
    std::string with_history = spec;
    with_history.replace(with_history.find("{}"), 2, history);
    return ReadText(with_history, text).value();
  };
  const auto none = std::nullopt;
  const ForeignBlock pairs = windows_of("2");
  EXPECT_THAT(pairs.rows, ElementsAre(2, 3, 4, 6, 8, 9));
  EXPECT_THAT(pairs.real_labels, ElementsAre(13, none, none, none, none, none));
  EXPECT_THAT(pairs.left_out, ElementsAre(IsFiltered(1, "no window"), IsFiltered(5, "no window"),
                                          IsFiltered(7, "no window")));
  EXPECT_EQ(pairs.records[0], "0,a,10\n1,a,11");
  const ForeignBlock rows = windows_of("1");
  EXPECT_THAT(rows.rows, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(rows.real_labels, ElementsAre(12, 13, none, none, none, none, 27, none, none));
}

TEST_F(ForeignRecordsTest, ManyBlocksGiveEachRowOnceAndInOrder) {
  std::string text = "class,place,price,time\n";
  for (int i = 0; i < 50'000; ++i) {
    text += i % 1000 == 7 ? "short\n" : fmt::format("UP,a,{},{}\n", i, 1'000'000'000 + i);
  }
  const auto read = Read(kCsv, {Write("input", text)}, 4096);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(std::ssize(read->rows), 50'000 - 50);
  ASSERT_EQ(std::ssize(read->left_out), 50);
  EXPECT_TRUE(std::ranges::is_sorted(read->rows));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(read->left_out[static_cast<size_t>(i)].row, 1000 * i + 8);
  EXPECT_EQ(read->records.back(), "1000049999,49999,a,UP");
}

TEST_F(ForeignRecordsTest, RowsThatCannotBeReadDoNotFillTheMemory) {
  std::string text = "class,place,price,time\n";
  constexpr int64_t kNumRows = 1'000'000;
  for (int64_t i = 0; i < kNumRows; ++i) text += "short\n";
  const auto spec = config::ReadKept<DatasetSpec>(kCsv, "dataset");
  ASSERT_THAT(spec, IsOk());
  auto records = ForeignRecords::Open(*spec, {.inputs = {Write("input", text)}});
  ASSERT_THAT(records, IsOk());
  int64_t num_rows = 0;
  for (ForeignBlock block; *(*records)->Next(100, block);) {
    // No more than one reading of the file, which has a MiB.
    EXPECT_LE(std::ssize(block.left_out), (int64_t{1} << 20) / 6 + 1);
    num_rows += std::ssize(block.left_out);
  }
  EXPECT_EQ(num_rows, kNumRows);
}

TEST_F(ForeignRecordsTest, InputsThatCannotBeReadSayWhy) {
  const auto why = [&](const std::string& text) {
    const auto read = ReadText(kCsv, text);
    EXPECT_THAT(read.status(), StatusIs(absl::StatusCode::kInvalidArgument, _));
    return std::string(read.status().message());
  };
  EXPECT_THAT(why(""), HasSubstr("is empty"));
  EXPECT_THAT(why("\n \n"), HasSubstr("has no records"));
  EXPECT_THAT(why("\x1f\x8b and more"), HasSubstr("zcat"));
  EXPECT_THAT(why("1,2\n"), HasSubstr("time, price, place, class"));
  const std::string rows = Write("rows", "price\n1\n");
  EXPECT_THAT(std::string(Read(kCsv, {rows, rows}).status().message()),
              HasSubstr("run the command once for each file"));
  EXPECT_THAT(Read(kCsv, {folder_ + "/none"}).status(), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(ForeignRecordsTest, SomeMistakesAreKnownWithoutADataset) {
  EXPECT_THAT(ForeignRecords::Check({folder_ + "/none"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none")));
  EXPECT_THAT(ForeignRecords::Check({Write("empty", "")}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is empty")));
  EXPECT_THAT(ForeignRecords::Check({}), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(ForeignRecords::Check({Write("rows", "1\n")}), IsOk());
  // Each of several files costs itself alone.
  EXPECT_THAT(ForeignRecords::Check({"a", "b"}), IsOk());
}

// A pipe that stays open.
TEST_F(ForeignRecordsTest, ThePresentRowsOfAPipeDoNotWaitForLaterOnes) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::fstream writer(path);
  writer << "price\n1\n" << std::flush;
  const auto spec = config::ReadKept<DatasetSpec>(kCsv, "dataset");
  ASSERT_THAT(spec, IsOk());
  const auto records = ForeignRecords::Open(*spec, {.inputs = {path}});
  ASSERT_THAT(records, IsOk());
  ForeignBlock block;
  ASSERT_THAT((*records)->Next(4096, block), IsOk());
  EXPECT_THAT(block.rows, ElementsAre(1));
  writer << "2\n3\n" << std::flush;
  ASSERT_THAT((*records)->Next(4096, block), IsOk());
  EXPECT_THAT(block.records, ElementsAre(",2,,", ",3,,"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT((*records)->Next(4096, block, stop.get_token()).status(),
              StatusIs(absl::StatusCode::kCancelled, _));
}

TEST_F(ForeignRecordsTest, FilesThatAreSamplesHaveTheLabelsOfTheirFolders) {
  const std::string spec =
      "{path: /data, format: {type: single_file}, label: {folder: true, classes: [cat, dog]}}";
  const auto read = Read(
      spec, {Write("dog/1", "bytes"), folder_ + "/none", Write("x/2", "more"), Write("cat/3", "")});
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->records, ElementsAre("bytes", "more"));
  EXPECT_THAT(read->rows, ElementsAre(1, 3));
  EXPECT_THAT(read->class_labels, ElementsAre(1, std::nullopt));
  EXPECT_THAT(read->left_out, ElementsAre(Is(2, "none"), Is(4, "is empty")));
}

}  // namespace
}  // namespace tidemill::storage

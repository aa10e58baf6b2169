// CSV files in practice: concatenated, written by other programs, damaged, and not CSV.
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/formats/format.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/format_fixture.h"

namespace tidemill::storage {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FormatTest;
using testing::Gzip;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

constexpr char kClasses[] =
    "format: csv\nevent_time: {column: t}\nlabel: {column: y, classes: [a, b]}\n";
constexpr char kNumbers[] =
    "format: csv\nevent_time: {column: t, format: unix}\nlabel: {column: y}\n";

class CsvFormatTest : public FormatTest {
 protected:
  IndexedFile Read(const std::string& spec, const std::string& bytes,
                   const std::string& name = "x.csv") {
    data_.Write(name, bytes);
    auto found = Index(Spec(spec), name);
    EXPECT_THAT(found, IsOk());
    return found.ok() ? *std::move(found) : IndexedFile();
  }

  static std::vector<std::string> Reasons(const IndexedFile& found) {
    std::vector<std::string> reasons;
    for (const BadRecord& bad : found.bad) reasons.push_back(bad.reason);
    return reasons;
  }
};

TEST_F(CsvFormatTest, ASecondHeaderCostsOneRecord) {
  const IndexedFile found = Read(
      kNumbers, "t,x,y\n1,5,0\n2,6,1\nt,x,y\n3,7,1\n\"t\",\"x\",\"y\"\n\xef\xbb\xbft,x,y\n4,8,0\n");
  EXPECT_THAT(Bytes("x.csv", found), ElementsAre("1,5,0", "2,6,1", "3,7,1", "4,8,0"));
  EXPECT_THAT(Reasons(found), ElementsAre("a second header", "a second header", "a second header"));
  EXPECT_THAT(found.positions, ElementsAre(0, 1, 3, 6));
  EXPECT_EQ(found.records_done, 7);
}

// Nothing else in it is bad: without a time and a label it would be a sample.
TEST_F(CsvFormatTest, ASecondHeaderOfTextsIsNotASample) {
  const std::string spec = "format: csv\nevent_time: {row: {start: 2020-01-01, step: 1s}}\n";
  const IndexedFile found = Read(spec, "word,text\na,b\nword,text\nc,d\ntext,word\ne,f\n");
  EXPECT_THAT(Bytes("x.csv", found), ElementsAre("a,b", "c,d"));
  EXPECT_EQ(found.num_bad, 3);
}

TEST_F(CsvFormatTest, AfterAHeaderWithTheColumnsInAnotherOrderNothingIsTaken) {
  const IndexedFile found = Read(kClasses,
                                 "t,x,z,y\n2026-01-01,1,-1000,a\n"
                                 "t,z,x,y\n2026-01-02,-1000,2,a\n2026-01-03,-1000,3,b\n"
                                 "t,x,z,y\n2026-01-04,4,-1000,b\n");
  EXPECT_THAT(Bytes("x.csv", found), ElementsAre("2026-01-01,1,-1000,a", "2026-01-04,4,-1000,b"));
  EXPECT_THAT(Reasons(found),
              ElementsAre("a second header with the columns in another order: 't, z, x, y'; what "
                          "follows is left out",
                          "it follows a second header with other columns",
                          "it follows a second header with other columns", "a second header"));
}

TEST_F(CsvFormatTest, AfterAHeaderWithOtherColumnsNothingIsTaken) {
  const IndexedFile found = Read(kClasses,
                                 "t,x,z,y\n2026-01-01,1,-1000,a\n"
                                 "t,x,w,y\n2026-01-02,1,7,a\n");
  EXPECT_THAT(Bytes("x.csv", found), ElementsAre("2026-01-01,1,-1000,a"));
  EXPECT_THAT(
      Reasons(found),
      ElementsAre("a second header with other columns: 't, x, w, y'; what follows is left out",
                  "it follows a second header with other columns"));
  const IndexedFile longer = Read(kClasses,
                                  "t,x,y\n2026-01-01,1,a\n"
                                  "t,x,z,y\n2026-01-02,1,7,a\n2026-01-03,1,b\n");
  EXPECT_THAT(Bytes("x.csv", longer), ElementsAre("2026-01-01,1,a", "2026-01-03,1,b"));
  EXPECT_THAT(Reasons(longer), ElementsAre("a second header with 4 columns where 3 are expected",
                                           "4 fields where 3 columns are expected"));
}

TEST_F(CsvFormatTest, AHeaderInAFileThatShouldHaveNoneCostsOneRecord) {
  const IndexedFile found = Read(
      "format: {type: csv, header: false, columns: [t, x, y]}\n"
      "event_time: {column: t, format: unix}\nlabel: {column: y}\n",
      "t,x,y\n1,5,0\n2,6,1\n");
  EXPECT_THAT(Bytes("x.csv", found), ElementsAre("1,5,0", "2,6,1"));
  EXPECT_THAT(Reasons(found), ElementsAre("a header"));
}

TEST_F(CsvFormatTest, PackedFilesThatWerePutTogetherAreReadLikeOthers) {
  const IndexedFile found =
      Read(kNumbers, Gzip("t,x,y\n1,5,0\n") + Gzip("t,x,y\n2,6,1\n"), "x.csv.gz");
  EXPECT_THAT(Bytes("x.csv.gz", found), ElementsAre("1,5,0", "2,6,1"));
  EXPECT_THAT(Reasons(found), ElementsAre("a second header"));
}

TEST_F(CsvFormatTest, APieceKnowsOfAHeaderInAnEarlierOne) {
  data_.Write("x.csv", "t,x,y\n1,5,0\nx,t,y\n6,2,1\n7,3,1\nt,x,y\n4,8,0\n");
  DatasetSpec spec = Spec(kNumbers);
  const std::string path = files::Join(data_.path(), "x.csv");
  ASSERT_THAT(CompleteSpec(path, *cache_, spec), IsOk());
  const auto format = MakeFormat(spec, *cache_);
  FileInput input{.root = data_.path(), .path = "x.csv", .max_records = 1};
  input.identity = *testing::AnyLocalFiles().IdentityOf(path);
  std::vector<std::string> taken, reasons;
  bool more = true;
  while (more) {
    const auto piece = (*format)->Index(input);
    ASSERT_THAT(piece, IsOk());
    for (const std::string& bytes : Bytes("x.csv", *piece)) taken.push_back(bytes);
    for (const std::string& reason : Reasons(*piece)) reasons.push_back(reason);
    more = piece->more;
    input.from_byte = piece->bytes_done;
    input.from_record = piece->records_done;
    input.columns_moved = piece->columns_moved;
  }
  EXPECT_THAT(taken, ElementsAre("1,5,0", "4,8,0"));
  EXPECT_EQ(reasons.size(), 4U);
}

TEST_F(CsvFormatTest, LinesMayEndWithCarriageReturns) {
  const IndexedFile old_mac = Read(kNumbers, "t,x,y\r1,5,0\r2,\"two\rlines\",1\r");
  EXPECT_THAT(Bytes("x.csv", old_mac), ElementsAre("1,5,0", "2,\"two\rlines\",1"));
  const IndexedFile mixed = Read(kNumbers, "t,x,y\n1,5,0\r\n2,6,1\n3,7,1\r4,8,0\r\r\n5,9,0");
  EXPECT_THAT(Bytes("x.csv", mixed), ElementsAre("1,5,0", "2,6,1", "3,7,1", "4,8,0", "5,9,0"));
  EXPECT_EQ(mixed.num_bad + old_mac.num_bad, 0);
}

TEST_F(CsvFormatTest, AGrowingFileMayEndItsLinesWithCarriageReturns) {
  const DatasetSpec spec = Spec(std::string(kNumbers) + "append: true\n");
  data_.Write("x.csv", "t,x,y\r1,5,0\r");
  const auto found = Index(spec, "x.csv");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Bytes("x.csv", *found), ElementsAre("1,5,0"));
  data_.Write("x.csv", "t,x,y\r1,5,0\r\n2,6,1\r\n");
  const auto more = Index(spec, "x.csv", found->bytes_done, found->records_done);
  ASSERT_THAT(more, IsOk());
  EXPECT_THAT(Bytes("x.csv", *more), ElementsAre("2,6,1"));
  EXPECT_EQ(more->records_done, 2);
}

// The file of UCI's "Air Quality", line by line.
TEST_F(CsvFormatTest, DecimalCommasAndEmptyColumnsAtTheEndAreRead) {
  const IndexedFile found = Read(
      "format: {type: csv, delimiter: \";\", decimal: \",\"}\n"
      "event_time: {columns: [Date, Time], format: \"%d/%m/%Y %H.%M.%S\"}\n"
      "label: {column: CO(GT), kind: real, missing: [\"\", \"-200\"]}\n",
      "Date;Time;CO(GT);PT08.S1(CO);NMHC(GT);T;RH;AH;;\r\n"
      "10/03/2004;18.00.00;2,6;1360;150;13,6;48,9;0,7578;;\r\n"
      "10/03/2004;19.00.00;-200;1292;112;13,3;47,7;0,7255;;\r\n"
      "10/03/2004;20.00.00;2.2;1402;88;11,9;54,0;0,7502;;\r\n"
      "04/04/2005;14.00.00;2,2;1071;-200;28,5;13,1;0,5028;;\r\n"
      ";;;;;;;;;\r\n;;;;;;;;;\r\n");
  EXPECT_EQ(found.positions, (std::vector<int64_t>{0, 1, 3}));
  EXPECT_THAT(found.rows.real_label, ElementsAre(2.6, std::nullopt, 2.2));
  EXPECT_EQ(found.rows.event_time[0], ParseTimestamp("2004-03-10T18:00:00Z")->micros);
  EXPECT_THAT(Reasons(found), ElementsAre("label '2.2' is not a number"))
      << "a point may separate thousands";
  ASSERT_EQ(found.left_out.items().size(), 2U);
  EXPECT_EQ(found.left_out.items()[1].first_reason, "all its fields are empty");
  EXPECT_TRUE(found.left_out.items()[1].wanted);
  EXPECT_EQ(found.left_out.items()[1].num_records, 2);
  EXPECT_EQ(found.records_done, 6);
}

TEST_F(CsvFormatTest, AmountsMayHaveGroupsAndUnits) {
  const IndexedFile german = Read(
      "format: {type: csv, delimiter: \";\", decimal: \",\", thousands: \".\", units: {y: EUR}}\n"
      "event_time: {column: t, format: unix}\nlabel: {column: y, kind: real}\n",
      "t;x;y\n1;a;1.234,50 EUR\n2;b;12,5\n3;c;1.5\n4;d;7 USD\n5;e;-1.000\n");
  EXPECT_THAT(german.rows.real_label, ElementsAre(1234.5, 12.5, -1000));
  EXPECT_THAT(Reasons(german),
              ElementsAre("label '1.5' is not a number", "label '7 USD' is not a number"));
  const IndexedFile english = Read(
      "format: {type: csv, thousands: \",\", units: {y: \"$\"}}\n"
      "event_time: {column: t, format: unix}\nlabel: {column: y, kind: real}\n",
      "t,x,y\n1,a,\"$1,200\"\n2,b,$7\n3,c,\"1,2\"\n");
  EXPECT_THAT(english.rows.real_label, ElementsAre(1200, 7));
}

TEST_F(CsvFormatTest, LinesBeforeTheHeaderAreSkipped) {
  const std::string spec =
      "format: {type: csv, skip: 2}\nevent_time: {column: t, format: unix}\n"
      "label: {column: y, kind: real}\n";
  const IndexedFile found = Read(spec, "# a logger, \"3\r\nsep=,\r\nt,x,y\r\n1,5,0\r\n2,6,1\r\n");
  EXPECT_THAT(Bytes("x.csv", found), ElementsAre("1,5,0", "2,6,1"));
  EXPECT_EQ(found.num_bad, 0);
  // Without a header, too, and longer than a window.
  const IndexedFile bare = Read(
      "format: {type: csv, skip: 1, header: false, columns: [t, x, y]}\n"
      "event_time: {column: t, format: unix}\n",
      std::string(3'000'000, '#') + "\n1,5,0\n2,6,1\n");
  EXPECT_THAT(Bytes("x.csv", bare), ElementsAre("1,5,0", "2,6,1"));
}

TEST_F(CsvFormatTest, SkippedLinesMayBeStillToCome) {
  const DatasetSpec spec = Spec(
      "format: {type: csv, skip: 2, columns: [t, x, y]}\n"
      "event_time: {column: t, format: unix}\nappend: true\n");
  for (const char* const begun : {"", "# a", "# a\n# b", "# a\n# b\nt,x"}) {
    data_.Write("x.csv", begun);
    const auto found = Index(spec, "x.csv");
    ASSERT_THAT(found, IsOk()) << begun;
    EXPECT_EQ(found->bytes_done, 0) << begun;
    EXPECT_EQ(found->num_bad, 0) << begun;
  }
  data_.Write("x.csv", "# a\n# b\nt,x,y\n1,5,0\n");
  const auto found = Index(spec, "x.csv");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->positions.size(), 1);
  data_.Write("x.csv", "# a\n# b\nt,x,y\n1,5,0\n# c\n2,6,1\n");
  const auto more = Index(spec, "x.csv", found->bytes_done, found->records_done);
  ASSERT_THAT(more, IsOk());
  EXPECT_THAT(Bytes("x.csv", *more), ElementsAre("2,6,1"));
}

// MovieLens' ratings.dat.
TEST_F(CsvFormatTest, DelimitersMayHaveSeveralBytes) {
  const IndexedFile found = Read(
      "format: {type: csv, delimiter: \"::\", quote: \"\", header: false,"
      " columns: [user, movie, rating, at]}\n"
      "event_time: {column: at, format: unix}\nlabel: {column: rating, kind: real}\n",
      "1::1193::5::978300760\n1::661::3.5::978302109\n2::1:3::4::978302268\n2::5::978302268\n");
  EXPECT_THAT(found.rows.real_label, ElementsAre(5, 3.5, 4));
  EXPECT_THAT(Reasons(found), ElementsAre("3 fields where 4 columns are expected"));
}

TEST_F(CsvFormatTest, BlanksAroundFieldsAreLeftOutIfTheSpecSaysSo) {
  const std::string text = "t, x , y\n1, 5 , a\n2,6,\"b\" \n 3 , 7,b \n";
  const IndexedFile found = Read(
      "format: {type: csv, trim: true}\nevent_time: {column: t, format: unix}\n"
      "label: {column: y, classes: [a, b]}\n",
      text);
  EXPECT_THAT(found.rows.class_label, ElementsAre(0, 1, 1));
  EXPECT_THAT(Bytes("x.csv", found), ElementsAre("1, 5 , a", "2,6,\"b\" ", " 3 , 7,b "));
  const IndexedFile as_it_is = Read(
      "format: csv\nevent_time: {column: t, format: unix}\n"
      "label: {column: \" y\", classes: [a, b]}\n",
      text);
  EXPECT_THAT(Reasons(as_it_is),
              ElementsAre("label ' a' is not in classes", "text follows a closing quote",
                          "label 'b ' is not in classes"));
}

TEST_F(CsvFormatTest, TimesInSecondsMayHaveADecimalComma) {
  const IndexedFile found = Read(
      "format: {type: csv, delimiter: \";\", decimal: \",\"}\n"
      "event_time: {column: t, format: unix}\n",
      "t;x\n1,5;0\n2;1\n");
  EXPECT_THAT(found.rows.event_time, ElementsAre(1'500'000, 2'000'000));
}

TEST_F(CsvFormatTest, AStrayQuoteCostsItsLineHoweverManyLinesItTookIn) {
  std::string text = "t,x,y\n1,5,0\n2,\"6,1\n";
  for (int i = 3; i < 100; ++i) text += std::to_string(i) + ",7,1\n";
  const std::string closed = text + "100,\"eight\",0\n101,9,1\n";
  // Another stray quote closes the first one, and the number of fields between them is right.
  const std::string paired = text + "100,8\",0\n101,9\",1\n";
  for (const std::string& bytes : {text, closed, paired}) {
    const IndexedFile found = Read(kNumbers, bytes);
    EXPECT_EQ(found.num_bad, 1) << bytes.substr(bytes.size() - 40);
    EXPECT_EQ(found.bad.front().position, 1);
    EXPECT_EQ(found.positions.size() + 1, static_cast<size_t>(found.records_done));
  }
  EXPECT_EQ(Read(kNumbers, "t,x,y\n1,\",0\n2,6,1\n3,\",1\n4,7,0\n").positions.size(), 2U);
  // A growing file need not wait for what closes it.
  EXPECT_EQ(Read(std::string(kNumbers) + "append: true\n", text).positions.size(), 98U);
}

// The steps in which a file grows must not matter, whatever it contains.
TEST_F(CsvFormatTest, AFileThatGrowsGivesWhatItGivesAtOnce) {
  const std::string_view pieces[] = {"1,5,0", "2,x,1", ",",  "\"",      "\n",
                                     "\r",    "\r\n",  "\n", "t,x,y\n", "x,t,y\n"};
  std::mt19937 random(7);
  const DatasetSpec spec = Spec(std::string(kNumbers) + "append: true\n");
  for (int round = 0; round < 300; ++round) {
    std::string text = "t,x,y\n";
    for (size_t i = 0; i < 5 + random() % 25; ++i) text += pieces[random() % std::size(pieces)];
    const size_t cut = 6 + random() % (text.size() - 6);
    data_.Write("x.csv", text);
    const auto at_once = Index(spec, "x.csv");
    ASSERT_THAT(at_once, IsOk());
    std::vector<std::string> records = Bytes("x.csv", *at_once);
    data_.Write("x.csv", text.substr(0, cut));
    const auto first = Index(spec, "x.csv");
    ASSERT_THAT(first, IsOk());
    std::vector<std::string> in_two = Bytes("x.csv", *first);
    data_.Write("x.csv", text);
    const auto second =
        Index(spec, "x.csv", first->bytes_done, first->records_done, first->columns_moved);
    ASSERT_THAT(second, IsOk());
    for (std::string& record : Bytes("x.csv", *second)) in_two.push_back(std::move(record));
    ASSERT_EQ(in_two, records) << text << "\ncut at " << cut;
    ASSERT_EQ(first->num_bad + second->num_bad, at_once->num_bad) << text << "\ncut at " << cut;
  }
}

// Windows do not reach over a header. Nothing of it is in them, nor of what follows a moved one.
TEST_F(CsvFormatTest, ASecondHeaderEndsTheWindowsOfASeries) {
  const std::string spec =
      "format: csv\nevent_time: {column: t, format: unix}\n"
      "series: {history: 2, horizon: 0, target: y}\nappend: true\n";
  const std::string text = "t,x,y\n1,5,0\n2,6,1\nt,x,y\n3,7,1\n4,8,0\n,,\nx,t,y\n9,5,1\n9,6,1\n";
  const IndexedFile found = Read(spec, text);
  EXPECT_THAT(Bytes("x.csv", found), ElementsAre("1,5,0\n2,6,1", "3,7,1\n4,8,0"));
  EXPECT_EQ(found.num_bad, 4);
  EXPECT_EQ(found.left_out.num_records(), 6) << "an empty line and a broken window, too";
  EXPECT_TRUE(found.columns_moved);
  data_.Write("x.csv", text + "9,7,0\nt,x,y\n8,1,1\n9,2,0\n");
  const auto more =
      Index(Spec(spec), "x.csv", found.bytes_done, found.records_done, found.columns_moved);
  ASSERT_THAT(more, IsOk());
  EXPECT_THAT(Bytes("x.csv", *more), ElementsAre("8,1,1\n9,2,0"));
  EXPECT_EQ(more->num_bad, 2) << "what was counted before is not counted again";
  EXPECT_EQ(more->left_out.num_records(), 3);
}

TEST_F(CsvFormatTest, TextsOfSeveralLinesStayWhatTheyAre) {
  const std::string text =
      "t,x,y\n1,\"Dear all,\n2020 was long, and I\n3,4\nsay "
      "\"\"7,8,9\"\",bye\n\",0\n2,\"\n\n\",1\n";
  const IndexedFile found = Read(kNumbers, text);
  EXPECT_THAT(found.positions, ElementsAre(0, 1));
  EXPECT_EQ(found.num_bad, 0);
  // A bad label costs one record, however many lines it has.
  const IndexedFile bad = Read(kNumbers, "t,x,y\n1,\"a\nb,c\nd\",z\n2,x,1\n");
  EXPECT_THAT(bad.positions, ElementsAre(1));
  EXPECT_EQ(bad.num_bad, 1);
}

TEST_F(CsvFormatTest, AFileThatIsNotCsvIsNamed) {
  using std::string_literals::operator""s;
  const std::tuple<std::string, std::string> cases[] = {
      {"PK\x03\x04\x14\0\0\0\x08\0"s, "it is a zip archive: unpack it"},
      {"PAR1\x15\x04\x15"s, "it is a Parquet file: write its table as CSV"},
      {"\xff\xfet\0,\0y\0\n\0"s, "it is text in UTF-16: convert it: iconv"},
      {"t\0,\0y\0\n\0001\0,\0002\0\n\0"s, "it is text in UTF-16"},
      {"<!doctype html>\n<html>"s, "it is a web page (HTML)"},
      {"\x93NUMPY\1\0v\0"s, "it is a NumPy array"},
      {std::string(5000, '\0'), "it is zero bytes where its content should be"}};
  for (const auto& [bytes, reason] : cases) {
    data_.Write("x.csv", bytes);
    EXPECT_THAT(Index(Spec(kClasses), "x.csv"),
                StatusIs(kInvalid, AllOf(HasSubstr("is not a CSV file"), HasSubstr(reason))));
    auto spec = Spec(kClasses);
    spec.format->SetColumns(std::vector<std::string>{"t", "x", "y"});
    EXPECT_THAT(Index(spec, "x.csv"), StatusIs(kInvalid, HasSubstr(reason)));
  }
}

TEST_F(CsvFormatTest, ZeroBytesInARecordAreNamed) {
  using std::string_literals::operator""s;
  EXPECT_THAT(Reasons(Read(kNumbers, "t,x,y\n1,5,0\n" + std::string(100, '\0') + "\n2,6,1\n")),
              ElementsAre("it has zero bytes"));
}

// As a writer leaves it that has reserved space, and as a disk does that was full.
TEST_F(CsvFormatTest, ZerosAtTheEndCostNothingAndAreReported) {
  std::string rows = "t,x,y\n";
  for (int i = 0; i < 100; ++i) rows += std::to_string(i) + ",5,1\n";
  for (const size_t count : {size_t{1}, size_t{4096}, size_t{3'000'000}}) {
    const IndexedFile found = Read(kNumbers, rows + std::string(count, '\0'));
    EXPECT_EQ(found.positions.size(), 100U);
    EXPECT_EQ(found.num_bad, 0);
    EXPECT_EQ(found.lost_bytes, 0);
    EXPECT_THAT(found.remarks, ElementsAre(fmt::format(
                                   "the file ends with {} zeros, which are not a record", count)));
  }
}

TEST_F(CsvFormatTest, ZerosBeforeARecordCostItAndTheirBytes) {
  const IndexedFile found =
      Read(kNumbers, "t,x,y\n1,5,0\n" + std::string(700'000, '\0') + "2,6,1\n3,7,1\n");
  EXPECT_THAT(Bytes("x.csv", found), ElementsAre("1,5,0", "3,7,1"));
  EXPECT_THAT(Reasons(found), ElementsAre("it has zero bytes"));
  EXPECT_EQ(found.lost_bytes, 700'006);
  EXPECT_EQ(found.zeroed_bytes, 700'006);
}

TEST_F(CsvFormatTest, RefusesDelimitersAndMarksThatMeanNothing) {
  const std::pair<const char*, const char*> cases[] = {
      {"delimiter: \"\"", "is not one to eight bytes"},
      {"delimiter: \"123456789\"", "is not one to eight bytes"},
      {"delimiter: \"\\r\"", "is not one to eight bytes"},
      {"delimiter: \",\\n\"", "is not one to eight bytes"},
      {"delimiter: '\"'", "is also in the delimiter"},
      {"delimiter: '|\"|'", "is also in the delimiter"},
      {"decimal: \";\"", "is neither a point nor a comma"},
      {"decimal: \",\", quote: ''", "is also the delimiter"},
      {"thousands: x", "is not a comma, a point, an apostrophe or a blank"},
      {"thousands: \".\"", "is also before the fraction"},
      {"units: {x: \"\"}", "has a unit that is empty"},
      {"units: {x: \"5\"}", "may be a part of a number"},
      {"skip: -1", "skip"},
      {"trim: true, delimiter: \" \"", "cannot tell blanks from the delimiter"}};
  for (const auto& [keys, problem] : cases) {
    EXPECT_THAT(config::Read<DatasetSpec>("path: /x\nformat: {type: csv, " + std::string(keys) +
                                              "}\nevent_time: {column: t}\n",
                                          "spec"),
                StatusIs(kInvalid, HasSubstr(problem)))
        << keys;
  }
}

}  // namespace
}  // namespace tidemill::storage

#include "supervisor/checks/csv_check.h"

#include <string>
#include <string_view>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/checks/advice.h"
#include "supervisor/checks/field_check.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

// A dataset of days with a class; `more` changes it.
storage::DatasetSpec Spec(const std::string& more = "") {
  const std::string text = fmt::format("path: /data\nfiles: weather.csv\n{}",
                                       more.empty() ? "format: csv\n"
                                                      "event_time: {column: date}\n"
                                                      "label: {column: weather, classes: "
                                                      "[rain, sun]}\n"
                                                    : more);
  auto spec = config::Read<storage::DatasetSpec>(text, "dataset.yaml");
  EXPECT_TRUE(spec.ok()) << spec.status();
  return *std::move(spec);
}

constexpr char kOfRealLabels[] =
    "format: csv\nevent_time: {column: date}\nlabel: {column: weather, kind: real}\n";
constexpr char kOfNumberedClasses[] =
    "format: csv\nevent_time: {column: date}\nlabel: {column: weather}\n";

CsvFindings Check(std::string text, const storage::DatasetSpec& spec = Spec(), bool live = false) {
  return CheckCsv({.file = "weather.csv", .bytes = std::move(text), .whole = true}, spec, live);
}

// The only remark.
config::Remark Only(const CsvFindings& found) {
  EXPECT_THAT(found.remarks, SizeIs(1));
  return found.remarks.empty() ? config::Remark{} : found.remarks.front();
}

TEST(CheckCsv, FindsNothingInASoundFile) {
  const CsvFindings found = Check(
      "\xef\xbb\xbf"
      "date,wind,weather\r\n2012-01-01,1.5,sun\r\n2012-01-02,2,rain\r\n");
  EXPECT_THAT(found.remarks, IsEmpty());
  EXPECT_THAT(found.columns, Optional(ElementsAre("date", "wind", "weather")));
  EXPECT_THAT(found.facts.times, SizeIs(2));
  EXPECT_THAT(found.facts.num_samples, Optional(2));
}

TEST(CheckCsv, ReportsLabelsThatAreNotClassesHoweverFewOfEach) {
  std::string text = "date,weather\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("2012-01-01,{}\n", i < 90 ? "sun" : std::to_string(i));
  const config::Remark few = Only(Check(text));
  EXPECT_EQ(few.path, "label.classes");
  EXPECT_THAT(few.message, HasSubstr("one of 10 that are not among the classes"));
  EXPECT_FALSE(few.is_error) << "such records are left out";
  text = "date,weather\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("2012-01-01,{}\n", i < 20 ? "sun" : std::to_string(i));
  EXPECT_TRUE(Only(Check(text)).is_error) << "more than max_bad_fraction";
}

TEST(CheckCsv, ProposesNoFormatThatReadsOnlyTheTimesThatDidNot) {
  std::string text = "date,weather\n";
  for (int i = 0; i < 9; ++i) text += "2012-01-01,sun\n";
  EXPECT_EQ(Only(Check(text + "31.12.2012,sun\n")).hint,
            "no common format matches every time: correct the times in the file");
}

TEST(CheckCsv, RefusesTimesOfAnotherMillenniumAndNamesTheirUnit) {
  auto spec = Spec();
  const auto told = [&](const char* format, const char* time) {
    spec.event_time.format = format;
    return Only(Check(fmt::format("date,weather\n{},sun\n", time), spec));
  };
  const config::Remark remark = told("unix", "1709280000000");
  EXPECT_EQ(remark.path, "event_time.format");
  EXPECT_TRUE(remark.is_error);
  EXPECT_THAT(remark.message, HasSubstr("these are milliseconds"));
  EXPECT_EQ(remark.hint, "write format: \"unix_ms\"");
  EXPECT_EQ(told("unix_us", "1709280000123456789").hint, "write format: \"unix_ns\"");
  spec.event_time.any_year = true;
  spec.event_time.format = "unix";
  EXPECT_THAT(Check("date,weather\n1709280000000,sun\n", spec).remarks, IsEmpty());
}

TEST(CheckCsv, DoubtsNumbersThatAreLikelyOfAnotherUnit) {
  auto spec = Spec();
  spec.event_time.format = "unix_ms";
  const config::Remark remark = Only(Check("date,weather\n1709280000,sun\n", spec));
  EXPECT_FALSE(remark.is_error);
  EXPECT_THAT(remark.message, HasSubstr("1970-01-20"));
  EXPECT_EQ(remark.hint, "these seem to be seconds: write format: unix");
}

TEST(CheckCsv, SaysWhyATimeAmongOthersIsNone) {
  std::string text = "date,weather\n";
  for (int i = 0; i < 30; ++i) text += "2012-01-01 08:00:00.5+02,sun\n";
  EXPECT_THAT(Only(Check(text + "1325376000,sun\n")).message, HasSubstr("write format: unix"));
  EXPECT_THAT(Only(Check(text + "2012-01-01 23:59:60,sun\n")).message, HasSubstr("leap second"));
}

TEST(CheckCsv, NamesTheFormatOfTimesThatDoNotRead) {
  const config::Remark remark = Only(Check("date,weather\n31.12.2012,sun\n01.01.2013,rain\n"));
  EXPECT_EQ(remark.path, "event_time.format");
  EXPECT_THAT(remark.message, HasSubstr("line 2 of weather.csv"));
  EXPECT_THAT(remark.message, HasSubstr("'31.12.2012'"));
  EXPECT_EQ(remark.hint, "write format: \"%d.%m.%Y\"");
  EXPECT_TRUE(remark.is_error);
}

TEST(CheckCsv, NamesBothFormatsWhereDaysAndMonthsCannotBeToldApart) {
  EXPECT_EQ(Only(Check("date,weather\n01/02/2012 08:00,sun\n")).hint,
            "write format: \"%d/%m/%Y %H:%M\" or format: \"%m/%d/%Y %H:%M\"");
  EXPECT_EQ(Only(Check("date,weather\n01/02/2012,sun\n01/31/2012,sun\n")).hint,
            "write format: \"%m/%d/%Y\"");
}

TEST(CheckCsv, KnowsSecondsAndMillisecondsSince1970) {
  EXPECT_EQ(Only(Check("date,weather\n1325376000,sun\n")).hint, "write format: \"unix\"");
  EXPECT_EQ(Only(Check("date,weather\n1325376000000,sun\n")).hint, "write format: \"unix_ms\"");
  EXPECT_EQ(Only(Check("date,weather\n1325376000000000000,sun\n")).hint,
            "write format: \"unix_ns\"");
}

TEST(CheckCsv, NamesTheFormatOfTimesWithAFractionThatMayBeAbsent) {
  EXPECT_EQ(Only(Check("date,weather\n31.12.2012 08:00:00,sun\n31.12.2012 08:00:00.25,sun\n")).hint,
            "write format: \"%d.%m.%Y %H:%M:%S.%f\"");
  EXPECT_EQ(Only(Check("date,weather\n12/31/2012 9:25 PM,sun\n")).hint,
            "write format: \"%m/%d/%Y %I:%M %p\"");
  EXPECT_EQ(Only(Check("date,weather\n20121231212500,sun\n")).hint,
            "write format: \"%Y%m%d%H%M%S\"");
}

TEST(CheckCsv, SaysThatAnUnknownTimeZoneIsOne) {
  const config::Remark remark =
      Only(Check("date,weather\n2012-01-01,sun\n",
                 Spec("format: csv\n"
                      "event_time: {column: date, time_zone: Europe/Zuerich}\n")));
  EXPECT_EQ(remark.path, "event_time.time_zone");
  EXPECT_THAT(remark.message, HasSubstr("Europe/Zuerich"));
}

TEST(CheckCsv, NamesTheClassesOfLabelsThatAreTexts) {
  const config::Remark remark =
      Only(Check("date,weather\n2012-01-01,sun\n2012-01-02,no rain\n", Spec(kOfNumberedClasses)));
  EXPECT_EQ(remark.path, "label");
  EXPECT_THAT(remark.message, HasSubstr("'sun' in weather"));
  EXPECT_EQ(remark.hint, "name the classes: classes: [\"no rain\", sun]");
  EXPECT_EQ(Only(Check("date,weather\n2012-01-01,1.5\n", Spec(kOfNumberedClasses))).hint,
            "write kind: real to learn a number; classes are numbered from 0");
}

TEST(CheckCsv, KnowsADecimalCommaInALabel) {
  const config::Remark remark =
      Only(Check("date;weather\n2012-01-01;1,5\n", Spec("format: {type: csv, delimiter: \";\"}\n"
                                                        "event_time: {column: date}\n"
                                                        "label: {column: weather, kind: real}\n")));
  EXPECT_EQ(remark.path, "label.kind");
  EXPECT_THAT(remark.hint, HasSubstr("decimal comma"));
}

TEST(CheckCsv, OnlyWarnsOfWhatCostsAFewRecords) {
  const config::Remark label =
      Only(Check("date,weather\n2012-01-01,1\n2012-01-02,x\n2012-01-03,3\n", Spec(kOfRealLabels)));
  EXPECT_FALSE(label.is_error);
  EXPECT_THAT(label.message, HasSubstr("line 3 of weather.csv"));
  const config::Remark count =
      Only(Check("date,weather\n2012-01-01,sun\n2012-01-02\n2012-01-03,sun\n"));
  EXPECT_FALSE(count.is_error);
  EXPECT_EQ(count.path, "format");
  EXPECT_THAT(count.message, HasSubstr("1 fields where 2 columns are expected"));
}

TEST(CheckCsv, TakesMissingLabelsForWhatTheyAre) {
  EXPECT_THAT(Check("date,weather\n2012-01-01,\n2012-01-02,NA\n2012-01-03,sun\n").remarks,
              IsEmpty());
  EXPECT_THAT(Check("date,weather\n2012-01-01,\n2012-01-02,7\n", Spec(kOfRealLabels)).remarks,
              IsEmpty());
}

TEST(CheckCsv, SaysNothingOfLabelsThatAreMissingAsTheSpecAllows) {
  constexpr char kHalfOfThem[] = "date,weather\n2012-01-01,%\n2012-01-02,\n2012-01-03,NA\n";
  for (const auto& [value, spec] :
       {std::pair("1.5", Spec(kOfRealLabels)), std::pair("1", Spec(kOfNumberedClasses)),
        std::pair("sun", Spec())}) {
    std::string text = kHalfOfThem;
    text.replace(text.find('%'), 1, value);
    EXPECT_THAT(Check(text, spec).remarks, IsEmpty()) << value;
  }
  const std::string strict =
      "format: csv\nevent_time: {column: date}\nlabel: {column: weather, kind: real, missing: "
      "[]}\n";
  EXPECT_THAT(Only(Check("date,weather\n2012-01-01,1\n2012-01-02,\n", Spec(strict))).hint,
              HasSubstr("label.missing"));
  EXPECT_THAT(Only(Check("date,weather\n2012-01-01,sun\n2012-01-02,?\n")).hint,
              HasSubstr("add '?', or name it in label.missing"));
}

TEST(CheckCsv, RefusesAFileThatIsEmptyOrHasNoRecords) {
  EXPECT_THAT(Only(Check("")).message, HasSubstr("weather.csv is empty"));
  EXPECT_TRUE(Only(Check("")).is_error);
  EXPECT_FALSE(Only(Check("", Spec(), /*live=*/true)).is_error);
  EXPECT_THAT(Only(Check("date,weather\n")).message, HasSubstr("has no records"));
}

TEST(CheckCsv, RefusesAColumnThatIsNamedTwice) {
  EXPECT_THAT(Only(Check("date,weather,date\n2012-01-01,sun,1\n")).message,
              HasSubstr("names 'date' twice"));
}

TEST(CheckCsv, KnowsAnotherDelimiter) {
  const config::Remark remark =
      Only(Check("date;wind;weather\n2012-01-01;1,5;sun\n2012-01-02;2;rain\n"));
  EXPECT_EQ(remark.path, "format.delimiter");
  EXPECT_EQ(remark.hint, "try delimiter: \";\"");
  EXPECT_EQ(Only(Check("date\twind\tweather\n2012-01-01\t1.5\tsun\n")).hint,
            "try delimiter: \"\\t\"");
  EXPECT_EQ(Only(Check("date::wind::weather\n2012-01-01::1.5::sun\n")).hint,
            "try delimiter: \"::\"");
}

TEST(CheckCsv, KnowsAFileWithoutAHeader) {
  const config::Remark remark = Only(Check("2012-01-01,1.5,sun\n2012-01-02,2,rain\n"));
  EXPECT_EQ(remark.path, "format.header");
  EXPECT_THAT(remark.hint, HasSubstr("try header: false, and name the 3 columns"));
}

TEST(CheckCsv, KnowsBlanksAfterTheDelimiters) {
  const config::Remark remark = Only(Check("date, weather\n2012-01-01, sun\n"));
  EXPECT_EQ(remark.path, "label.column");
  EXPECT_THAT(remark.hint, HasSubstr("write trim: true in the format, or \" weather\" here"));
  EXPECT_EQ(Only(Check("date,weather\n2012-01-01, sun\n")).hint,
            "there are blanks around the class: write trim: true in the format");
  // Around a number they mean nothing.
  EXPECT_THAT(Check("date,weather\n2012-01-01, 1.5\n", Spec(kOfRealLabels)).remarks, IsEmpty());
  const std::string trimmed =
      "format: {type: csv, trim: true}\nevent_time: {column: date}\n"
      "label: {column: weather, classes: [rain, sun]}\n";
  const CsvFindings found = Check("date, weather\n2012-01-01, sun\n", Spec(trimmed));
  EXPECT_THAT(found.remarks, IsEmpty());
  EXPECT_THAT(found.columns, Optional(ElementsAre("date", "weather")));
}

TEST(CheckCsv, ReportsASecondHeader) {
  std::string text = "date,wind,weather\n";
  for (int i = 0; i < 30; ++i) text += "2012-01-01,1,sun\n";
  const config::Remark same = Only(Check(text + text));
  EXPECT_EQ(same.path, "files");
  EXPECT_EQ(same.message, "line 32 of weather.csv is a second header");
  EXPECT_FALSE(same.is_error);
  const config::Remark moved =
      Only(Check(text + "date,weather,wind\n2012-01-01,sun,1\n2012-01-01,rain,1\n"));
  EXPECT_THAT(moved.message,
              HasSubstr("line 32 of weather.csv is a second header with the columns in "
                        "another order: date, weather, wind; what follows is left out"));
  EXPECT_TRUE(moved.is_error);
  const CsvFindings other = Check(text + "date,sea,weather\n2012-01-01,1,sun\n");
  ASSERT_FALSE(other.remarks.empty());
  EXPECT_THAT(other.remarks.front().message, HasSubstr("a second header with other columns"));
  const config::Remark unasked = Only(
      Check("date,weather\n2012-01-01,sun\n",
            Spec("format: {type: csv, header: false, columns: [date, weather]}\n"
                 "event_time: {column: date}\nlabel: {column: weather, classes: [rain, sun]}\n")));
  EXPECT_EQ(unasked.message, "line 1 of weather.csv is a header");
  EXPECT_EQ(unasked.hint, "write header: true if each file has one");
}

TEST(CheckCsv, ReadsLinesThatEndWithCarriageReturnsAlone) {
  EXPECT_THAT(Check("date,weather\r2012-01-01,sun\r2012-01-02,rain\r").remarks, IsEmpty());
  EXPECT_THAT(Only(Check("date,weather\r2012-01-01,sun\r\r2012-01-02\r2012-01-02,sun\r")).message,
              HasSubstr("line 4 of weather.csv"));
}

TEST(CheckCsv, ReadsUcisAirQuality) {
  const std::string spec =
      "format: {type: csv, delimiter: \";\", decimal: \",\"}\n"
      "event_time: {columns: [Date, Time], format: \"%d/%m/%Y %H.%M.%S\"}\n"
      "label: {column: CO(GT), kind: real}\n";
  const CsvFindings found = Check(
      "Date;Time;CO(GT);AH;;\r\n10/03/2004;18.00.00;2,6;0,7578;;\r\n"
      ";;;;;\r\n;;;;;\r\n",
      Spec(spec));
  EXPECT_THAT(found.remarks, IsEmpty());
  EXPECT_THAT(found.columns, Optional(ElementsAre("Date", "Time", "CO(GT)", "AH", "", "")));
  EXPECT_THAT(found.facts.num_samples, Optional(1));
}

TEST(CheckCsv, NamesAFileThatIsNotCsv) {
  const config::Remark remark = Only(Check("PAR1\x15\x04\x15\x10"));
  EXPECT_EQ(remark.path, "files");
  EXPECT_EQ(remark.message, "weather.csv is not a CSV file, it is a Parquet file");
  EXPECT_EQ(remark.hint, "write its table as CSV");
}

TEST(CheckCsv, KnowsTextsThatAreNotUtf8) {
  EXPECT_THAT(Only(Check(std::string("\xff\xfe"
                                     "d\0a\0t\0e\0",
                                     10)))
                  .hint,
              HasSubstr("iconv -f UTF-16"));
  const config::Remark latin =
      Only(Check("date,gr\xfc\xdf"
                 "e,weather\n2012-01-01,1,sun\n"));
  EXPECT_THAT(latin.hint, HasSubstr("iconv -f ISO-8859-1"));
  EXPECT_THAT(latin.message, HasSubstr("gr\\xfc\\xdf"));
}

TEST(CheckCsv, ShowsBytesOfALabelThatAreNotText) {
  EXPECT_THAT(Only(Check("date,weather\n2012-01-01,n\xe4sse\n")).message, HasSubstr("'n\\xe4sse'"));
}

transform::GraphSpec Graph(const std::string& text) {
  auto graph = config::Read<transform::GraphSpec>(text, "graph.yaml");
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

config::Remark TryWind(const std::string& op, const std::string& values,
                       double max_bad_fraction = 0.5) {
  const CsvFindings found =
      CheckCsv({.file = "weather.csv", .bytes = "date;wind\n" + values, .whole = true},
               Spec("format: {type: csv, delimiter: \";\"}\nevent_time: {column: date}\n"), false);
  const auto remarks = TryFields(found.records, Graph(op), max_bad_fraction);
  EXPECT_THAT(remarks, SizeIs(1));
  return remarks.empty() ? config::Remark{} : remarks.front();
}

TEST(TryFields, NamesTheFieldThatIsNotANumberAndWhatToWrite) {
  const std::string floats = "- parse_csv: {columns: [wind], dtype: float32}\n";
  const config::Remark comma = TryWind(floats, "2012-01-01;1,5\n");
  EXPECT_EQ(comma.path, "[0].parse_csv.columns[0]");
  EXPECT_THAT(comma.message, HasSubstr("'1,5' in line 2 of weather.csv is not a number"));
  EXPECT_THAT(comma.hint, HasSubstr("write decimal: \",\" in the dataset's format"));
  EXPECT_TRUE(comma.is_error);
  EXPECT_THAT(TryWind(floats, "2012-01-01;strong\n").hint, HasSubstr("dtype: string"));
  EXPECT_THAT(TryWind("- parse_csv: {columns: [wind], dtype: int64}\n", "2012-01-01;1.5\n").hint,
              HasSubstr("dtype: float32"));
}

TEST(TryFields, WarnsOfDifferentWholeNumbersThatBecomeOneFloat32) {
  const std::string floats = "- parse_csv: {columns: [wind], dtype: float32}\n";
  const std::string accounts = "2012-01-01;76561198003753551\n2012-01-02;76561198003753552\n";
  const config::Remark found = TryWind(floats, accounts);
  EXPECT_EQ(found.path, "[0].parse_csv.columns[0]");
  EXPECT_FALSE(found.is_error);
  EXPECT_THAT(found.message, HasSubstr("are one number as float32"));
  EXPECT_THAT(found.hint, HasSubstr("dtype: string"));
  const auto remarks = [&](const std::string& op, const std::string& values) {
    const CsvFindings csv = CheckCsv(
        {.file = "weather.csv", .bytes = "date;wind\n" + values, .whole = true},
        Spec("format: {type: csv, delimiter: \";\"}\nevent_time: {column: date}\n"), false);
    return TryFields(csv.records, Graph(op), 0.5);
  };
  EXPECT_THAT(remarks("- parse_csv: {columns: [wind], dtype: string}\n", accounts), IsEmpty());
  EXPECT_THAT(remarks("- parse_csv: {columns: [wind], dtype: float64}\n", accounts), IsEmpty());
  EXPECT_THAT(remarks(floats, "2012-01-01;16777216\n2012-01-02;16777218\n2012-01-03;5\n"),
              IsEmpty());
}

TEST(TryFields, SaysHowNumbersOfPeopleAreRead) {
  const std::string floats = "- parse_csv: {columns: [wind], dtype: float32}\n";
  EXPECT_THAT(TryWind(floats, "2012-01-01;1,234.50\n").hint, HasSubstr("thousands: \",\""));
  EXPECT_THAT(TryWind(floats, "2012-01-01;1.234,50\n").hint,
              HasSubstr("decimal: \",\" and thousands: \".\""));
  EXPECT_THAT(TryWind(floats, "2012-01-01;12.5 kg\n").hint, HasSubstr("units: {wind: \"kg\"}"));
}

TEST(TryFields, SaysHowToTakeEmptyFieldsAndOnlyWarnsOfAFew) {
  const std::string values = "2012-01-01;1\n2012-01-02;\n2012-01-03;2\n";
  const config::Remark empty = TryWind("- parse_csv: {columns: [wind], dtype: float32}\n", values);
  EXPECT_FALSE(empty.is_error);
  EXPECT_THAT(empty.message, HasSubstr("line 3 of weather.csv is empty, as in 1 of the first 3"));
  EXPECT_THAT(empty.hint, HasSubstr("missing: [\"\"]"));
  const CsvFindings found = Check("date,weather\n2012-01-01,sun\n");
  EXPECT_THAT(
      TryFields(found.records, Graph("- parse_csv: {columns: [weather], dtype: string}\n"), 0.5),
      IsEmpty());
}

// The findings for a pipeline over numbered classes, where one record has class 7.
std::vector<config::Remark> AdviceForClasses(const std::string& model, const std::string& loss) {
  std::string text = "date,wind,weather\n";
  for (int day = 1; day <= 28; ++day) {
    text += fmt::format("2012-01-{:02},1,{}\n", day, day == 5 ? 7 : day % 2);
  }
  const auto spec = config::Read<PipelineSpec>(
      fmt::format("version: 1\nname: p\ndatasets: {{weather: {{path: /data, files: weather.csv, "
                  "format: csv, event_time: {{column: date}}, label: {{column: weather}}}}}}\n"
                  "preprocess: {{dataset: weather, graph: [parse_csv: {{columns: [wind]}}, stack: "
                  "{{columns: all, into: input}}, label: {{into: target}}]}}\n"
                  "model: {}\ntrigger: {{type: amount, samples: 100}}\nselection: all_data\n"
                  "training: {{epochs: 1, batch_size: 8, optimizer: {{type: sgd, lr: 0.1}}, loss: "
                  "{}, seed: 1}}\n",
                  model, loss),
      "pipeline.yaml");
  EXPECT_TRUE(spec.ok()) << spec.status();
  if (!spec.ok()) return {};
  return Advise(*spec, Check(text, Spec(kOfNumberedClasses)).facts);
}

std::string SaidOf(const std::vector<config::Remark>& remarks, const std::string& path) {
  for (const config::Remark& remark : remarks) {
    if (remark.path == path) return remark.message;
  }
  return "";
}

TEST(Advise, NamesTheFirstRecordOfAClassThatTheModelHasNoOutputFor) {
  EXPECT_THAT(SaidOf(AdviceForClasses("{type: mlp, hidden: [4], outputs: 2}", "cross_entropy"),
                     "model.outputs"),
              HasSubstr("no output for class 7 (weather.csv, line 6)"));
  EXPECT_THAT(SaidOf(AdviceForClasses("{type: mlp, hidden: [4], outputs: 1}", "bce_with_logits"),
                     "model.outputs"),
              HasSubstr("class 7"));
  EXPECT_EQ(SaidOf(AdviceForClasses("{type: mlp, hidden: [4], outputs: 8}", "cross_entropy"),
                   "model.outputs"),
            "");
}

TEST(Advise, ReportsLargeDenseEmbeddings) {
  EXPECT_THAT(SaidOf(AdviceForClasses("{type: embedding_bag, vocabulary: 32769, outputs: 8}",
                                      "cross_entropy"),
                     "model.sparse"),
              HasSubstr("all 32769 rows of embeddings"));
  EXPECT_EQ(
      SaidOf(AdviceForClasses("{type: embedding_bag, vocabulary: 32769, sparse: true, outputs: 8}",
                              "cross_entropy"),
             "model.sparse"),
      "");
}

TEST(Advise, SaysWhichPolicyCanNeverFireAndWhichWaitsForTooMuch) {
  const auto remarks = AdviceForClasses("{type: mlp, hidden: [4], outputs: 8}", "cross_entropy");
  EXPECT_THAT(SaidOf(remarks, "trigger.samples"),
              HasSubstr("asks for 100 samples, and the dataset has 28"));
}

}  // namespace
}  // namespace tidemill::supervisor

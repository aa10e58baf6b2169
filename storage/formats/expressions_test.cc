// Labels, times and conditions that are given by expressions, in every format with fields.
#include "storage/testing/format_fixture.h"
#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

class ExpressionsTest : public testing::FormatTest {
 protected:
  static std::vector<std::optional<int64_t>> Classes(const IndexedFile& found) {
    std::vector<std::optional<int64_t>> classes;
    for (size_t i = 0; i < found.positions.size(); ++i) {
      classes.push_back(found.rows.class_label[i]);
    }
    return classes;
  }

  IndexedFile Found(const std::string& spec, const std::string& name) const {
    auto found = Index(Spec(spec), name);
    EXPECT_THAT(found, IsOk());
    return found.ok() ? *std::move(found) : IndexedFile{};
  }

  std::string MistakeIn(const std::string& spec) const {
    const auto read = config::Read<DatasetSpec>("path: /data\n" + spec, "p.yaml");
    return read.ok() ? "" : std::string(read.status().message());
  }
};

TEST_F(ExpressionsTest, ABooleanLabelIsOneOfTwoClasses) {
  data_.Write("a.csv", "t,arr_delay\n1,14.5\n2,15\n3,NA\n4,\n5,\"20\"\n6,late\n");
  const IndexedFile found = Found(
      "format: csv\nevent_time: {column: t, format: unix}\n"
      "label: {expression: arr_delay >= 15, classes: [on_time, late]}",
      "a.csv");
  EXPECT_THAT(Classes(found), ElementsAre(0, 1, std::nullopt, std::nullopt, 1));
  ASSERT_EQ(found.bad.size(), 1u);
  EXPECT_EQ(found.bad[0].position, 5);
  EXPECT_EQ(found.bad[0].reason, "label: arr_delay is 'late', not a number");
}

TEST_F(ExpressionsTest, ALabelIsTheNumberOrTheNameOfAClass) {
  data_.Write("a.csv", "t,stars,mood\n1,4,GOOD\n2,9,bad\n3,1,\n4,2,so\n");
  const std::string start = "format: csv\nevent_time: {column: t, format: unix}\n";
  const IndexedFile numbers =
      Found(start + "label: {expression: whole(stars) - 1, classes: [a, b, c, d]}", "a.csv");
  EXPECT_THAT(Classes(numbers), ElementsAre(3, 0, 1));
  ASSERT_EQ(numbers.bad.size(), 1u);
  EXPECT_EQ(numbers.bad[0].reason, "label 8 is not below the number of classes, 4");
  const IndexedFile names =
      Found(start + "label: {expression: lower(mood), classes: [bad, good]}", "a.csv");
  EXPECT_THAT(Classes(names), ElementsAre(1, 0, std::nullopt));
  ASSERT_EQ(names.bad.size(), 1u);
  EXPECT_EQ(names.bad[0].reason, "label 'so' is not in classes");
}

TEST_F(ExpressionsTest, ARealLabelIsANumber) {
  data_.Write("a.csv", "t;x\n1;0,5\n2;2\n");
  const IndexedFile found = Found(
      "format: {type: csv, delimiter: ';', decimal: ','}\n"
      "event_time: {column: t, format: unix}\nlabel: {expression: x * 2, kind: real}",
      "a.csv");
  EXPECT_EQ(found.rows.real_label[0], 1.0);
  EXPECT_EQ(found.rows.real_label[1], 4.0);
  EXPECT_THAT(found.bad, IsEmpty());
}

TEST_F(ExpressionsTest, NumbersThatAreTooSmallAreTheNearestOnes) {
  data_.Write("a.csv", "t,p\n1,1e-400\n2,1.5e-322\n3,0.5\n");
  const IndexedFile found = Found(
      "format: csv\nevent_time: {column: t, format: unix}\nwhere: p < 0.05\n"
      "label: {column: p, kind: real}",
      "a.csv");
  EXPECT_THAT(found.bad, IsEmpty());
  EXPECT_EQ(found.num_filtered, 1);
  EXPECT_EQ(found.rows.real_label[0], 0);
  EXPECT_EQ(found.rows.real_label[1], 1.5e-322);
}

TEST_F(ExpressionsTest, ARecordOfWhichExpressionsMakeTooLongTextsIsBad) {
  std::string repeated = "concat(s";
  for (int i = 0; i < 19; ++i) repeated += ",s";
  repeated += ')';
  data_.Write("a.csv", "t,s\n1,abc\n2," + std::string(1 << 20, 'q') + "\n3,d\n");
  for (const std::string role : {"where", "label"}) {
    const std::string expression = "length(" + repeated + ") > 20";
    const IndexedFile found =
        Found("format: {type: csv, max_record: 2MiB}\nevent_time: {column: t, format: unix}\n" +
                  (role == "where" ? "where: " + expression
                                   : "label: {expression: '" + expression + "', classes: [a, b]}"),
              "a.csv");
    ASSERT_EQ(found.bad.size(), 1u);
    EXPECT_EQ(found.bad[0].position, 1);
    EXPECT_EQ(found.bad[0].reason, role + ": the texts that it makes have more than 16 MiB");
  }
}

TEST_F(ExpressionsTest, RecordsThatDoNotSatisfyTheConditionAreFilteredAndNothingElse) {
  data_.Write("a.csv", "t,valid,price\n1,1,2\n2,0,2\nx,0,2\n4,1,0\n5,,3\n6,1,abc\n7,1\n8,1,4\n");
  const IndexedFile found =
      Found("format: csv\nevent_time: {column: t, format: unix}\nwhere: valid = 1 and price > 0",
            "a.csv");
  EXPECT_THAT(found.positions, ElementsAre(0, 7));
  EXPECT_THAT(Bytes("a.csv", found), ElementsAre("1,1,2", "8,1,4"));
  // What is filtered needs no time.
  EXPECT_EQ(found.num_filtered, 4);
  EXPECT_EQ(found.num_bad, 2);
  EXPECT_EQ(found.bad[0].reason, "where: price is 'abc', not a number");
  EXPECT_EQ(found.bad[1].reason, "2 fields where 3 columns are expected");
  EXPECT_EQ(found.left_out.num_records(), 2);
  EXPECT_EQ(found.records_done, 8);
}

TEST_F(ExpressionsTest, ConditionsAndLabelsCanLookAtTheEventTime) {
  data_.Write("a.csv", "day\n2024-02-29\n2023-02-28\n2024-07-01\n29.02.2024\n");
  const IndexedFile found = Found(
      "format: csv\nevent_time: {column: day}\nwhere: year(@time) = 2024\n"
      "label: {expression: month(@time) > 6}",
      "a.csv");
  EXPECT_THAT(Classes(found), ElementsAre(0, 1));
  EXPECT_EQ(found.num_filtered, 1);
  EXPECT_EQ(found.num_bad, 1) << "without its time nothing is known about a record";
}

TEST_F(ExpressionsTest, TheColumnOfTheTimeIsReadAsItIsWritten) {
  data_.Write("a.csv", "day\n01.02.2024\n02.01.2024\n");
  const IndexedFile found = Found(
      "format: csv\nevent_time: {column: day, format: '%d.%m.%Y'}\nwhere: month(day) = 2", "a.csv");
  EXPECT_THAT(found.positions, ElementsAre(0));
  EXPECT_EQ(found.num_filtered, 1);
}

TEST_F(ExpressionsTest, TimesWithoutAZoneAreOnTheClockOfTheDataset) {
  data_.Write("a.csv", "t,seen\n2026-01-05 02:00,2026-01-05\n2026-01-05 23:00,2026-01-06\n");
  const IndexedFile found = Found(
      "format: csv\nevent_time: {expression: time(t), time_zone: America/New_York}\n"
      "where: hour(@time) = 23 or @time < '2026-01-05 03:00' and seen <= @time\n"
      "label: {expression: hour(@time) > 12}",
      "a.csv");
  EXPECT_THAT(found.rows.event_time, ElementsAre(ParseTimestamp("2026-01-05T07:00:00Z")->micros,
                                                 ParseTimestamp("2026-01-06T04:00:00Z")->micros));
  EXPECT_THAT(Classes(found), ElementsAre(0, 1));
}

TEST_F(ExpressionsTest, ATimeIsMadeOfSeveralColumns) {
  data_.Write("a.csv", "y,m,d\n1970,1,2\n1970,,2\n1970,13,1\n1971,1,1\n");
  const IndexedFile found = Found(
      "format: csv\n"
      "event_time: {expression: \"time(concat(y, '-', m, '-', d), '%Y-%m-%d')\"}",
      "a.csv");
  EXPECT_THAT(found.rows.event_time, ElementsAre(kDay, 365 * kDay));
  ASSERT_EQ(found.num_bad, 2);
  EXPECT_EQ(found.bad[0].reason, "event_time is null");
}

TEST_F(ExpressionsTest, ATimeBeyondTheCalendarMakesABadRecord) {
  data_.Write("a.csv", "s\n1\n1e12\n-1e12\n");
  const IndexedFile found =
      Found("format: csv\nevent_time: {expression: time(number(s))}", "a.csv");
  EXPECT_THAT(found.rows.event_time, ElementsAre(kSecond));
  ASSERT_EQ(found.num_bad, 2);
  EXPECT_EQ(found.bad[0].reason, "event_time is not between the years 1 and 9999");
}

TEST_F(ExpressionsTest, FieldsOfJsonLinesAreReadByTheirPaths) {
  data_.Write("a.jsonl",
              "{\"t\": 1, \"a\": {\"n\": 3}, \"ok\": true}\n{\"t\": 2, \"a\": {\"n\": 4}}\n"
              "{\"t\": 3, \"ok\": null}\n{\"t\": 4, \"a\": {\"n\": [1]}, \"ok\": true}\n"
              "{\"t\": 5, \"a\": {\"n\": \"x\"}, \"ok\": false}\n{\"t\": 6, \"ok\": true}\n");
  const IndexedFile found = Found(
      "format: jsonl\nevent_time: {column: t, format: unix}\nwhere: ok\n"
      "label: {expression: a.n > 3}",
      "a.jsonl");
  EXPECT_THAT(found.positions, ElementsAre(0, 5));
  EXPECT_THAT(Classes(found), ElementsAre(0, std::nullopt));
  EXPECT_EQ(found.num_filtered, 3);
  ASSERT_EQ(found.num_bad, 1);
  EXPECT_EQ(found.bad[0].reason, "label: field a.n is a list or an object");
}

TEST_F(ExpressionsTest, FeaturesOfExamplesAreReadByTheirNames) {
  std::string file;
  const auto add = [&](const testing::ExampleContent& content) {
    file += testing::TfRecord(testing::TfExample(content));
  };
  add({.ints = {{"t", 1}, {"x", 7}}, .bytes = {{"name", "ann"}}});
  add({.ints = {{"t", 2}, {"x", 6}}, .bytes = {{"name", "ann"}}});
  add({.ints = {{"t", 3}}, .bytes = {{"name", "ann"}}});
  add({.ints = {{"t", 4}}, .bytes = {{"name", "ann"}, {"x", "seven"}}});
  add({.ints = {{"t", 5}, {"x", 8}}});
  data_.Write("a.tfrecord", file);
  const IndexedFile found = Found(
      "format: tfrecord\nevent_time: {column: t, format: unix}\nwhere: x > 6\n"
      "label: {expression: upper(name), classes: [BOB, ANN]}",
      "a.tfrecord");
  EXPECT_THAT(found.positions, ElementsAre(0, 4));
  EXPECT_THAT(Classes(found), ElementsAre(1, std::nullopt));
  EXPECT_EQ(found.num_filtered, 2);
  ASSERT_EQ(found.num_bad, 1);
  EXPECT_EQ(found.bad[0].reason, "where: x is 'seven', not a number");
}

TEST_F(ExpressionsTest, RowsOfASeriesHaveLabelsByExpression) {
  data_.Write("a.csv", "t,x\n1,1\n2,5\n3,2\n4,7\n");
  const IndexedFile found = Found(
      "format: csv\nevent_time: {column: t, format: unix}\nlabel: {expression: x > 3}\n"
      "series: {history: 2, horizon: 1, step: 1s}",
      "a.csv");
  EXPECT_THAT(found.positions, ElementsAre(1, 2));
  EXPECT_THAT(Classes(found), ElementsAre(0, 1));
}

TEST_F(ExpressionsTest, MissingWordsAreThoseOfTheLabel) {
  data_.Write("a.csv", "t,x\n1,?\n2,5\n3,NA\n");
  const IndexedFile found = Found(
      "format: csv\nevent_time: {column: t, format: unix}\n"
      "label: {expression: x > 3, missing: ['', '?']}",
      "a.csv");
  EXPECT_THAT(Classes(found), ElementsAre(std::nullopt, 1));
  ASSERT_EQ(found.num_bad, 1);
  EXPECT_EQ(found.bad[0].reason, "label: x is 'NA', not a number");
}

TEST_F(ExpressionsTest, WhereAsksForTheSameMissingFieldsWhateverItReadsThemAs) {
  data_.Write("a.csv", "t,x\n1,NA\n2,5\n3,\n4, n/a\n5,-1\n6,?\n");
  const auto kept = [&](const std::string& where, const std::string& missing = "") {
    return Found("format: csv\nevent_time: {column: t, format: unix}\nlabel: {column: t" + missing +
                     "}\nmax_bad_fraction: 1\nwhere: " + where,
                 "a.csv")
        .positions;
  };
  EXPECT_THAT(kept("x is not null"), ElementsAre(1, 4, 5));
  EXPECT_THAT(kept("x is not null and x > 0"), ElementsAre(1));
  EXPECT_THAT(kept("x is null"), ElementsAre(0, 2, 3));
  EXPECT_THAT(kept("x is not null", ", missing: ['', '?']"), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(kept("text(x) is null"), ElementsAre(2));
}

TEST_F(ExpressionsTest, NumbersWithinTextsHaveTheDecimalSignOfTheFormat) {
  data_.Write("a.csv", "t;weight\n1;12,5 kg\n2;3 kg\n3;1.500 kg\n");
  const IndexedFile found = Found(
      "format: {type: csv, delimiter: ';', decimal: ','}\n"
      "event_time: {column: t, format: unix}\nwhere: number(split(weight, ' ')[0]) > 12",
      "a.csv");
  EXPECT_THAT(found.positions, ElementsAre(0));
}

TEST_F(ExpressionsTest, NumbersAreReadInTheNotationOfTheFormat) {
  data_.Write("a.csv", "t;x;share\n1;1.234,5;12 %\n2;1.5;1 %\n3;20;3%\n4;3;4\n");
  const std::string start =
      "format: {type: csv, delimiter: ';', decimal: ',', thousands: '.', units: {share: '%'}}\n"
      "event_time: {column: t, format: unix}\n";
  EXPECT_THAT(Found(start + "where: x > 10", "a.csv").positions, ElementsAre(0, 2));
  EXPECT_THAT(Found(start + "where: share > 2", "a.csv").positions, ElementsAre(0, 2, 3));
  EXPECT_THAT(Found(start + "where: number(text(share)) >= 4", "a.csv").positions, ElementsAre(3));
}

TEST_F(ExpressionsTest, ANullIsABadRecordWhereNothingMayBeMissing) {
  data_.Write("a.csv", "t,x\n1,\n2,5\n");
  const IndexedFile found = Found(
      "format: csv\nevent_time: {column: t, format: unix}\n"
      "label: {expression: x > 3, missing: []}",
      "a.csv");
  EXPECT_THAT(Classes(found), ElementsAre(1));
  ASSERT_EQ(found.num_bad, 1);
  EXPECT_EQ(found.bad[0].reason, "the label is null");
}

TEST_F(ExpressionsTest, AColumnThatTheHeaderLacksIsReportedWithItsPlace) {
  data_.Write("a.csv", "t,price\n1,2\n");
  EXPECT_THAT(
      Index(Spec("format: csv\nevent_time: {column: t, format: unix}\nwhere: pricee > 0"), "a.csv"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("a.csv: where: column 1 of 'pricee > 0': there is no column 'pricee'; did "
                         "you mean 'price'?; the columns are t, price, @time")));
}

TEST_F(ExpressionsTest, MistakesAreReportedWithTheLineOfTheirKey) {
  EXPECT_THAT(MistakeIn("format: csv\nwhere: price >\n"),
              HasSubstr("p.yaml:3:8: error: where: column 8 of 'price >': a value is expected"));
  EXPECT_THAT(MistakeIn("format: csv\nwhere: price + 1\n"),
              HasSubstr("the expression is a number, but a boolean is needed"));
  EXPECT_THAT(MistakeIn("format: {type: csv, columns: [price]}\nwhere: pricee > 0\n"),
              HasSubstr("did you mean 'price'?"));
  EXPECT_THAT(MistakeIn("format: csv\nwhere: '@label = 1'\n"),
              HasSubstr("there is no column '@label'"));
  EXPECT_THAT(MistakeIn("format: single_file\nwhere: a > 0\n"),
              AllOf(HasSubstr("where: does not fit the format"),
                    HasSubstr("only csv, jsonl and tfrecord have columns")));
  EXPECT_THAT(MistakeIn("format: csv\nwhere: a > 0\nseries: {history: 2}\n"),
              HasSubstr("where: does not fit a series"));
  EXPECT_THAT(MistakeIn("format: csv\nlabel: {expression: a > 0, classes: [x, y, z]}\n"),
              HasSubstr("one of two classes, but `classes` names 3"));
  EXPECT_THAT(MistakeIn("format: csv\nlabel: {expression: lower(a)}\n"),
              HasSubstr("the name of a class, but `classes` names none"));
  EXPECT_THAT(MistakeIn("format: csv\nlabel: {expression: a + 0.5}\n"),
              HasSubstr("the label is a number, but a class is"));
  EXPECT_THAT(MistakeIn("format: csv\nlabel: {expression: a > 0, column: a}\n"),
              HasSubstr("names several sources"));
  EXPECT_THAT(MistakeIn("format: csv\nevent_time: {expression: lower(a)}\n"),
              HasSubstr("the expression is a text, but a time is needed"));
  EXPECT_THAT(MistakeIn("format: csv\nevent_time: {expression: time(a), format: '%Y'}\n"),
              HasSubstr("event_time.format: does nothing with expression"));
  EXPECT_THAT(MistakeIn("format: csv\nevent_time: {expression: '@time + 1'}\n"),
              HasSubstr("there is no column '@time'"));
}

}  // namespace
}  // namespace tidemill::storage

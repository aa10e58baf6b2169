// Ops on samples that are windows of a series.
#include <gtest/gtest.h>

#include <random>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "transform/fitter.h"
#include "transform/graph.h"
#include "transform/ops/records/csv_rows.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::Numbers;
using testing::RunAtOnce;
using ::testing::SizeIs;
using testing::Spec;
using tidemill::testing::IsOk;

SampleSchema Series(std::vector<std::string> columns, int64_t history) {
  SampleSchema schema = CsvSchema(std::move(columns));
  schema.history = history;
  return schema;
}

std::vector<int64_t> InputShape(const GraphSpec& spec, const SampleSchema& schema) {
  const absl::StatusOr<Graph> graph = Graph::Build(spec, schema);
  EXPECT_THAT(graph, IsOk());
  return graph.ok() ? graph->input().shape : std::vector<int64_t>();
}

const std::vector<std::string> kWindows = {"1,10,a\n2,20,b\n3,30,c", "2,20,b\r\n\n3,30,c\n4,40,d"};

TEST(CsvRows, FindsRecordsThatQuotesCarryOverLines) {
  CsvRows rows({});
  const auto split = [&](std::string_view payload) {
    const auto found = rows.Split(payload);
    return std::vector<std::string>(found.begin(), found.end());
  };
  EXPECT_THAT(split("a,b"), ElementsAre("a,b"));
  EXPECT_THAT(split("a\r\n\r\nb\n\nc\r"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split("a,\"x\ry\"\rb\rc"), ElementsAre("a,\"x\ry\"", "b", "c"));
  EXPECT_THAT(split("1,\"x\ny\"\"\n\",2\n\"\"\n3"), ElementsAre("1,\"x\ny\"\"\n\",2", "\"\"", "3"));
  EXPECT_THAT(split("in\"side\nb"), ElementsAre("in\"side", "b"));  // No quote at a field's start.
  EXPECT_THAT(split("a,\"open\nb\nc"), ElementsAre("a,\"open\nb\nc"));
  EXPECT_THAT(split(""), IsEmpty());
  CsvRows plain({.quote = std::nullopt});
  EXPECT_THAT(plain.Split("\"a\nb\""), ElementsAre("\"a", "b\""));
  CsvRows colons({.delimiter = "::", .trim = true});
  EXPECT_THAT(colons.Split("1:: \"a\nb\" ::x\n2::\"c\""),
              ElementsAre("1:: \"a\nb\" ::x", "2::\"c\""));
}

TEST(CsvRows, ReadsBackWhatWasJoined) {
  std::mt19937 random(3);
  constexpr std::string_view kAlphabet = "ab,\"\n\r";
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> records(1 + random() % 4);
    std::string payload;
    for (size_t i = 0; i < records.size(); ++i) {
      std::string content;
      for (uint32_t length = random() % 6; length > 0; --length) {
        const char c = kAlphabet[random() % kAlphabet.size()];
        content += c == '"' ? std::string("\"\"") : std::string(1, c);
      }
      records[i] = fmt::format("{},\"{}\"", i, content);
      payload += records[i];
      if (i + 1 < records.size()) payload += random() % 2 == 0 ? "\n" : "\r\n";
    }
    CsvRows rows({});
    const auto found = rows.Split(payload);
    ASSERT_EQ(std::vector<std::string>(found.begin(), found.end()), records);
  }
}

TEST(ParseCsvRows, TakesTheLastTheOneBeforeOrAll) {
  const GraphSpec spec =
      Spec(ParseCsvSpec{.columns = {"x"}},
           ParseCsvSpec{.columns = {"x"}, .rows = Rows::kPrevious, .suffix = "_1"},
           ParseCsvSpec{.columns = {"y"}, .rows = Rows::kAll}, StackSpec{});
  const Transformed result = RunAtOnce(spec, Series({"x", "y", "z"}, 3), MakeSamples(kWindows));
  EXPECT_THAT(result.bad, IsEmpty());
  EXPECT_THAT(Numbers<float>(result.batch, "input"),
              ElementsAre(3, 2, 10, 20, 30, 4, 3, 20, 30, 40));
}

TEST(ParseCsvRows, TakesTheClassOfTheRowBefore) {
  const GraphSpec spec =
      Spec(ParseCsvSpec{.columns = {"z"}, .dtype = CsvType::kString, .rows = Rows::kPrevious},
           OneHotSpec{.column = "z", .categories = {"b", "c"}}, StackSpec{});
  const Transformed result = RunAtOnce(spec, Series({"x", "y", "z"}, 3), MakeSamples(kWindows));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1, 0, 0, 1));
}

TEST(ParseCsvRows, RejectsASampleForAnyRowThatIsNeeded) {
  const GraphSpec all = Spec(ParseCsvSpec{.columns = {"x"}, .rows = Rows::kAll}, StackSpec{});
  const GraphSpec last = Spec(ParseCsvSpec{.columns = {"x"}}, StackSpec{});
  const batch::Batch samples = MakeSamples({"1\nwhat\n3", "1\n2", "1\n2\n3"});
  const Transformed of_all = RunAtOnce(all, Series({"x"}, 3), samples);
  ASSERT_THAT(of_all.bad, SizeIs(2));
  EXPECT_THAT(of_all.bad[0].reason, HasSubstr("'what' is not a number"));
  EXPECT_THAT(of_all.bad[1].reason, HasSubstr("2 records, but the series has 3 rows"));
  EXPECT_THAT(Numbers<float>(of_all.batch, "input"), ElementsAre(1, 2, 3));
  EXPECT_THAT(Numbers<float>(RunAtOnce(last, Series({"x"}, 3), samples).batch, "input"),
              ElementsAre(3, 3));
}

TEST(ParseCsvRows, SaysWhatASampleDoesNotHave) {
  const auto problems = Graph::Check(
      Spec(ParseCsvSpec{.columns = {"x"}, .rows = Rows::kPrevious}, StackSpec{}), CsvSchema({"x"}));
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].message, HasSubstr("single row"));
  const auto texts = Graph::Check(
      Spec(ParseCsvSpec{.columns = {"x"}, .dtype = CsvType::kString, .rows = Rows::kAll},
           OneHotSpec{.column = "x", .categories = {"a"}}, StackSpec{}),
      Series({"x"}, 2));
  ASSERT_FALSE(texts.empty());
  EXPECT_THAT(texts[0].message, HasSubstr("all rows, but the fields are texts"));
}

TEST(ParseRecordRows, TakesTheLastTheOneBeforeOrAll) {
  SampleSchema schema{.payload = PayloadKind::kRecord, .record_bytes = 2, .history = 3};
  const auto input = [&](Rows rows) {
    return Numbers<float>(
        RunAtOnce(Spec(ParseRecordSpec{.fields = {{.name = "b", .offset = 1}}, .rows = rows},
                       StackSpec{}),
                  schema, MakeSamples({std::string("\x01\x02\x03\x04\x05\x06")}))
            .batch,
        "input");
  };
  EXPECT_THAT(input(Rows::kLast), ElementsAre(6));
  EXPECT_THAT(input(Rows::kPrevious), ElementsAre(4));
  EXPECT_THAT(input(Rows::kAll), ElementsAre(2, 4, 6));
}

TEST(StackByRow, PutsColumnsSideBySideInEachRowAndRepeatsSingleNumbers) {
  const GraphSpec spec =
      Spec(ParseCsvSpec{.columns = {"x", "y"}, .rows = Rows::kAll},
           ParseCsvSpec{.columns = {"x"}, .suffix = "_last"}, StackSpec{.by = StackBy::kRow});
  const SampleSchema schema = Series({"x", "y", "z"}, 3);
  EXPECT_THAT(InputShape(spec, schema), ElementsAre(3, 3));
  EXPECT_THAT(Numbers<float>(RunAtOnce(spec, schema, MakeSamples(kWindows)).batch, "input"),
              ElementsAre(1, 10, 3, 2, 20, 3, 3, 30, 3, 2, 20, 4, 3, 30, 4, 4, 40, 4));
  const auto problems = Graph::Check(
      Spec(ParseCsvSpec{.columns = {"x"}, .rows = Rows::kAll},
           ParseCsvSpec{.columns = {"z"}, .dtype = CsvType::kString},
           OneHotSpec{.column = "z", .categories = {"a", "b"}}, StackSpec{.by = StackBy::kRow}),
      schema);
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].message, HasSubstr("does not have a number for each of the 3 rows"));
}

TEST(Fingerprint, FollowsTheNumberOfRows) {
  const GraphSpec spec = Spec(ParseCsvSpec{.columns = {"x"}}, StackSpec{});
  EXPECT_NE(Graph::Build(spec, Series({"x"}, 2))->Fingerprint(""),
            Graph::Build(spec, Series({"x"}, 3))->Fingerprint(""));
}

}  // namespace
}  // namespace tidemill::transform

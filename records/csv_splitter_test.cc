#include "records/csv_splitter.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"

namespace tidemill {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

// A record as a list of its fields, or "!" and why it is bad, or "..." when it is not whole.
std::vector<std::vector<std::string>> Split(std::string_view text, bool last = true,
                                            size_t max_record = 100,
                                            const batch::CsvDialect& dialect = {}) {
  const CsvSplitter splitter(dialect, max_record);
  std::vector<std::vector<std::string>> records;
  CsvRecord record;
  while (!text.empty()) {
    splitter.First(text, last, record);
    if (record.kind == CsvRecord::Kind::kIncomplete) {
      records.push_back({"..."});
      break;
    }
    if (record.kind == CsvRecord::Kind::kBad) records.push_back({std::string("!") + record.reason});
    if (record.kind == CsvRecord::Kind::kRecord) {
      records.emplace_back();
      for (const CsvField& field : record.fields) records.back().push_back(Unquote(field, '"'));
    }
    text.remove_prefix(record.size);
  }
  return records;
}

TEST(CsvSplitter, KeepsLineEndsCommasAndQuotesWithinQuotes) {
  EXPECT_THAT(Split("a,\"x\ny\",b\r\n\"1,2\",\"say \"\"hi\"\"\",\"\"\n"),
              ElementsAre(ElementsAre("a", "x\ny", "b"), ElementsAre("1,2", "say \"hi\"", "")));
}

TEST(CsvSplitter, TakesEitherLineEndAndALastLineWithout) {
  EXPECT_THAT(Split("a,b\r\nc,\r\n,d\n\ne,f"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c", ""), ElementsAre("", "d"),
                          ElementsAre("e", "f")));
}

// As old programs for the Mac write them, and programs that make \r\n of each \n of a \r\n.
TEST(CsvSplitter, TakesCarriageReturnsForLineEnds) {
  EXPECT_THAT(Split("a,b\rc,\"x\ry\"\r\r\"d\",e"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "x\ry"), ElementsAre("d", "e")));
  EXPECT_THAT(Split("a,b\r\r\nc,d\r\r\n"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d")));
  EXPECT_THAT(Split("a,\"b\rc,d\r"),
              ElementsAre(ElementsAre("!a quote is never closed"), ElementsAre("c", "d")));
}

// More may follow a \r, so the result must be the same with a \n after it.
TEST(CsvSplitter, DoesNotWaitForWhatMayFollowACarriageReturn) {
  for (const char* const text : {"a,b\r", "a,\"b\"\r"}) {
    const CsvSplitter splitter({}, 100);
    CsvRecord record;
    splitter.First(text, /*last=*/false, record);
    EXPECT_EQ(record.kind, CsvRecord::Kind::kRecord);
    EXPECT_EQ(record.size, std::string_view(text).size());
    EXPECT_EQ(record.content, record.size - 1);
    splitter.First("\nc,d\n", /*last=*/false, record);
    EXPECT_EQ(record.kind, CsvRecord::Kind::kBlank);
  }
}

TEST(CsvSplitter, TakesDelimitersOfSeveralBytes) {
  const batch::CsvDialect colons{.delimiter = "::"};
  EXPECT_THAT(Split("1::a:b::\"x::y\"\n2:::3::\n", true, 100, colons),
              ElementsAre(ElementsAre("1", "a:b", "x::y"), ElementsAre("2", ":3", "")));
  EXPECT_THAT(Split("\"a\":b::c\nd::e", true, 100, colons),
              ElementsAre(ElementsAre("!text follows a closing quote"), ElementsAre("d", "e")));
  EXPECT_THAT(Split("a|~|b", true, 100, {.delimiter = "|~|"}), ElementsAre(ElementsAre("a", "b")));
}

TEST(CsvSplitter, LeavesBlanksAroundFieldsOutIfItShall) {
  EXPECT_THAT(Split(" a ,\tb, \" c \" ,\n,  ,x\n"),
              ElementsAre(ElementsAre(" a ", "\tb", " \" c \" ", ""), ElementsAre("", "  ", "x")));
  EXPECT_THAT(Split(" a ,\tb, \" c, \" ,\n,  ,x \r\n", true, 100, {.trim = true}),
              ElementsAre(ElementsAre("a", "b", " c, ", ""), ElementsAre("", "", "x")));
  EXPECT_THAT(Split(" a \t\t b\n", true, 100, {.delimiter = "\t", .trim = true}),
              ElementsAre(ElementsAre("a", "", "b")));
}

TEST(CsvSplitter, ReportsContentWithoutTheLineEnd) {
  const CsvSplitter splitter({}, 100);
  CsvRecord record;
  splitter.First("ab,\"c\"\r\nnext", true, record);
  EXPECT_EQ(record.content, 6U);
  EXPECT_EQ(record.size, 8U);
}

TEST(CsvSplitter, AStrayQuoteCostsOneLine) {
  EXPECT_THAT(Split("a,\"b\nc,d\ne,f\n"),
              ElementsAre(ElementsAre("!a quote is never closed"), ElementsAre("c", "d"),
                          ElementsAre("e", "f")));
  EXPECT_THAT(Split("\"a\"b,c\nd,e\n"),
              ElementsAre(ElementsAre("!text follows a closing quote"), ElementsAre("d", "e")));
}

TEST(CsvSplitter, AQuoteInsideAPlainFieldIsACharacter) {
  EXPECT_THAT(Split("5\" pipe,x\n"), ElementsAre(ElementsAre("5\" pipe", "x")));
}

TEST(CsvSplitter, WaitsForMoreUnlessTheTextIsTheLast) {
  EXPECT_THAT(Split("a,b\nc", /*last=*/false),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("...")));
  EXPECT_THAT(Split("\"a\"", /*last=*/false), ElementsAre(ElementsAre("...")));
  EXPECT_THAT(Split("\"a\":", /*last=*/false, 100, {.delimiter = "::"}),
              ElementsAre(ElementsAre("...")));
}

TEST(CsvSplitter, ARecordBeyondTheLimitIsBad) {
  EXPECT_THAT(Split(std::string(101, 'x') + "\na,b\n"),
              ElementsAre(ElementsAre(StartsWith("!the record is longer")), ElementsAre("a", "b")));
  const CsvSplitter splitter({}, 10);
  CsvRecord record;
  splitter.First("\"aaaaaaaaaaaaaaaa", /*last=*/false, record);
  EXPECT_EQ(record.kind, CsvRecord::Kind::kIncomplete);
  splitter.First("\"aaaaaaaaaaaaaaaaaaaa", /*last=*/false, record);
  EXPECT_EQ(record.kind, CsvRecord::Kind::kBad);
  EXPECT_TRUE(record.runs_on);
}

// The result must not depend on how much of the text has arrived.
TEST(CsvSplitter, AnOverLongRecordEndsWhereItDoesOrIsGivenUpAtItsFirstLineEnd) {
  EXPECT_THAT(Split("\"" + std::string(60, 'x') + "\n" + std::string(60, 'x') + "\"\na,b\n"),
              ElementsAre(ElementsAre(StartsWith("!the record is longer")), ElementsAre("a", "b")));
  const std::string longer = "\"" + std::string(150, 'x') + "\n" + std::string(90, 'y') + "\"";
  EXPECT_THAT(Split(longer + "\na,b\n"),
              ElementsAre(ElementsAre(StartsWith("!the record is longer")),
                          ElementsAre(std::string(90, 'y') + "\""), ElementsAre("a", "b")));
  EXPECT_THAT(Split(longer.substr(0, 220), /*last=*/false),
              ElementsAre(ElementsAre(StartsWith("!the record is longer")), ElementsAre("...")));
  EXPECT_THAT(Split(longer.substr(0, 190), /*last=*/false), ElementsAre(ElementsAre("...")));
}

}  // namespace
}  // namespace tidemill

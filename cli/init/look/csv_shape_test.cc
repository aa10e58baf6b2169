#include "cli/init/look/csv_shape.h"

#include "gmock/gmock.h"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string DelimiterOf(const std::string& text) { return GuessDelimiter(text, true).delimiter; }

TEST(CsvShape, TheDelimiterIsTheOneThatDividesAllRecordsEqually) {
  EXPECT_EQ(DelimiterOf("a,b,c\n1,2,3\n4,5,6\n"), ",");
  EXPECT_EQ(DelimiterOf("a;b\n1,5;2,5\n3,5;4,5\n"), ";");
  EXPECT_EQ(DelimiterOf("a\tb\n1 2\t3\n4 5\t6\n"), "\t");
  EXPECT_EQ(DelimiterOf("a|b\n1|2\n"), "|");
  EXPECT_EQ(DelimiterOf("1::2::3\n4::5::6\n"), "::");
  EXPECT_EQ(DelimiterOf("1 2 3\n4 5 6\n"), " ");
}

TEST(CsvShape, TextInQuotesAndClocksDoNotDivide) {
  EXPECT_EQ(DelimiterOf("at,text\n10:30,\"a; b; c\"\n11:45,\"d\"\n"), ",");
  EXPECT_EQ(DelimiterOf("at,n\n10:30:00,1\n11:45:00,2\n"), ",");
}

TEST(CsvShape, AFewBrokenRecordsDoNotMatter) {
  std::string text = "a;b;c\n";
  for (int row = 0; row < 100; ++row) text += row % 10 == 3 ? "broken\n" : "1;2,5;x\n";
  const GuessedDelimiter guessed = GuessDelimiter(text, true);
  EXPECT_EQ(guessed.delimiter, ";");
  EXPECT_THAT(guessed.reason, HasSubstr("91 of the first 101 records into 3 fields"));
  EXPECT_THAT(guessed.unknown, IsEmpty());
}

TEST(CsvShape, OneColumnIsNotKnownToBeOne) {
  EXPECT_THAT(GuessDelimiter("word\nother\n", true).unknown, Not(IsEmpty()));
}

TEST(CsvShape, AHeaderIsAboveNumbersAndDoesNotOccurAgain) {
  EXPECT_TRUE(GuessHeader({{"a", "b"}, {"1", "x"}, {"2", "y"}}).header);
  EXPECT_FALSE(GuessHeader({{"3", "x"}, {"1", "x"}, {"2", "y"}}).header);
  EXPECT_FALSE(GuessHeader({{"x", "y"}, {"x", "z"}, {"u", "y"}}).header);
  // Names that occur twice cannot be those of columns.
  EXPECT_FALSE(GuessHeader({{"a", "a"}, {"1", "2"}}).header);
  // Years are names, if the columns below are numbers and other columns have names.
  EXPECT_TRUE(GuessHeader({{"city", "area", "2020"}, {"x", "1", "2"}, {"y", "3", "4"}}).header);
}

TEST(CsvShape, ANameMayHaveDigitsAndIsAboveDates) {
  EXPECT_TRUE(GuessHeader({{"x1", "x2"}, {"1", "2"}, {"3", "4"}}).header);
  const GuessedHeader dates =
      GuessHeader({{"day", "town"}, {"2024-01-02", "Bern"}, {"2024-01-03", "Chur"}});
  EXPECT_TRUE(dates.header);
  EXPECT_THAT(dates.unknown, IsEmpty());
}

TEST(CsvShape, ATableOfTextsLeavesItOpenWhetherThereIsAHeader) {
  const GuessedHeader texts = GuessHeader({{"name", "town"}, {"Ada", "Bern"}, {"Bob", "Chur"}});
  EXPECT_TRUE(texts.header);
  EXPECT_THAT(texts.unknown, HasSubstr("--header yes|no"));
}

TEST(CsvShape, ARecordThatMayBeCutIsLeftOut) {
  const CsvRows read = ReadCsvRows("a,b\n1,2\n3,", {}, /*last=*/false, 10);
  ASSERT_EQ(read.rows.size(), 2);
  EXPECT_EQ(read.num_bytes, 8);
  EXPECT_EQ(ReadCsvRows("a,b\n1,2\n3,", {}, /*last=*/true, 10).rows.size(), 3);
  EXPECT_EQ(ReadCsvRows("a,b\n1,2\n3,", {}, /*last=*/true, 1).rows.size(), 1);
}

}  // namespace
}  // namespace tidemill::cli

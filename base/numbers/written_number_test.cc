#include "base/numbers/written_number.h"

#include "gmock/gmock.h"

namespace tidemill {
namespace {

using ::testing::Optional;

std::optional<double> Read(std::string_view text, const NumberNotation& notation) {
  double number = 0;
  if (ParseWrittenNumber(text, notation, number)) return std::nullopt;
  return number;
}

TEST(WrittenNumber, GroupsHaveThreeDigits) {
  const NumberNotation english = {.thousands = ','};
  EXPECT_THAT(Read("1,234.50", english), Optional(1234.5));
  EXPECT_THAT(Read(" -1,234,567 ", english), Optional(-1234567));
  EXPECT_THAT(Read("1234.5", english), Optional(1234.5));
  EXPECT_THAT(Read("+12.5e3", english), Optional(12500));
  for (const char* const text :
       {"1,23", "1,2345", "1234,567", "12,34,567", ",234", "1,", "1,234,", "1.234,5", "1,,234",
        "0,123", "1.5,000", "--5", "- 5", "", ".", "-"}) {
    EXPECT_EQ(Read(text, english), std::nullopt) << text;
  }
}

TEST(WrittenNumber, APointMaySeparateGroupsOrBePartOfNoNumber) {
  const NumberNotation german = {.decimal = ',', .thousands = '.'};
  EXPECT_THAT(Read("1.234,50", german), Optional(1234.5));
  EXPECT_THAT(Read("1.234", german), Optional(1234));
  EXPECT_EQ(Read("1.5", german), std::nullopt);
  EXPECT_EQ(Read("1,5,0", german), std::nullopt);
  const NumberNotation comma = {.decimal = ','};
  EXPECT_THAT(Read("1234,5", comma), Optional(1234.5));
  EXPECT_THAT(Read(",5", comma), Optional(0.5));
  EXPECT_THAT(Read("-7", comma), Optional(-7));
  EXPECT_EQ(Read("1.5", comma), std::nullopt);
  EXPECT_EQ(Read("1.234,5", comma), std::nullopt);
}

TEST(WrittenNumber, BlanksAndApostrophesSeparateGroups) {
  const NumberNotation french = {.decimal = ',', .thousands = ' '};
  EXPECT_THAT(Read("1 234,50", french), Optional(1234.5));
  EXPECT_THAT(Read("1\xc2\xa0"
                   "234\xe2\x80\xaf"
                   "567",
                   french),
              Optional(1234567));
  EXPECT_EQ(Read("1 2 3", french), std::nullopt);
  const NumberNotation swiss = {.thousands = '\''};
  EXPECT_THAT(Read("1'234.50", swiss), Optional(1234.5));
  EXPECT_THAT(Read("1\xe2\x80\x99"
                   "234",
                   swiss),
              Optional(1234));
}

TEST(WrittenNumber, TheUnitOfAColumnIsLeftAway) {
  EXPECT_THAT(Read("12.5 kg", {.unit = "kg"}), Optional(12.5));
  EXPECT_THAT(Read("12.5kg", {.unit = "kg"}), Optional(12.5));
  EXPECT_THAT(Read("12.5", {.unit = "kg"}), Optional(12.5));
  EXPECT_THAT(Read("12 %", {.unit = "%"}), Optional(12));
  const NumberNotation dollars = {.thousands = ',', .unit = "$"};
  EXPECT_THAT(Read("$1,200", dollars), Optional(1200));
  EXPECT_THAT(Read("-$1,200.50", dollars), Optional(-1200.5));
  EXPECT_THAT(Read("$ -3", dollars), Optional(-3));
  const NumberNotation euros = {.decimal = ',', .thousands = '.', .unit = "\xe2\x82\xac"};
  EXPECT_THAT(Read("1.200,00 \xe2\x82\xac", euros), Optional(1200));
  EXPECT_EQ(Read("12 g", {.unit = "kg"}), std::nullopt);
  EXPECT_EQ(Read("kg", {.unit = "kg"}), std::nullopt);
  EXPECT_EQ(Read("$5$", dollars), std::nullopt);
}

TEST(WrittenNumber, AUnitIsWhatIsBesideTheDigits) {
  EXPECT_THAT(UnitOf("12.5 kg"), Optional(std::string_view("kg")));
  EXPECT_THAT(UnitOf("-$1,200"), Optional(std::string_view("$")));
  EXPECT_THAT(UnitOf("1200 EUR"), Optional(std::string_view("EUR")));
  EXPECT_THAT(UnitOf("12%"), Optional(std::string_view("%")));
  EXPECT_THAT(UnitOf(" 12 "), Optional(std::string_view("")));
  for (const char* const text : {"kg", "", "a12b", "12a34", "2024-01-02", "10:30", "1/2"}) {
    EXPECT_EQ(UnitOf(text), std::nullopt) << text;
  }
}

TEST(WrittenNumber, WholeNumbersAreReadLikewise) {
  int64_t whole = 0;
  EXPECT_FALSE(ParseWrittenNumber("1.234.567", {.decimal = ',', .thousands = '.'}, whole));
  EXPECT_EQ(whole, 1234567);
  EXPECT_EQ(ParseWrittenNumber("1,5", {.decimal = ','}, whole), "is not a whole number");
}

}  // namespace
}  // namespace tidemill

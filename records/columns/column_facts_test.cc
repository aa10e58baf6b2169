#include "records/columns/column_facts.h"

#include <functional>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "records/columns/word_count.h"

namespace tidemill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

ColumnFacts Facts(const std::string& name, const std::vector<std::string>& values,
                  char decimal = '.') {
  return FactsOf({name, values}, {.decimal = decimal});
}

std::vector<std::string> Numbered(int count, const std::string& before = "") {
  std::vector<std::string> values;
  for (int value = 0; value < count; ++value) values.push_back(fmt::format("{}{}", before, value));
  return values;
}

TEST(ColumnFacts, NumbersMayBeMissingAndHaveBlanks) {
  const ColumnFacts facts = Facts("x", {" 1", "2.5", "", "NA", "4", "-1e3"});
  EXPECT_EQ(facts.kind, ColumnKind::kNumber);
  EXPECT_EQ(facts.num_missing, 2);
  EXPECT_EQ(facts.num_numbers, 4);
  EXPECT_FALSE(facts.all_whole());
  EXPECT_FALSE(facts.rises);
  EXPECT_EQ(facts.least, -1000);
  EXPECT_EQ(facts.greatest, 4);
  EXPECT_THAT(facts.missing_words, ElementsAre(Pair("", 1), Pair("NA", 1)));
}

TEST(ColumnFacts, TheDecimalCommaMakesOtherNumbers) {
  EXPECT_EQ(Facts("x", {"1,5", "2,5", "1,5"}, ',').kind, ColumnKind::kNumber);
  EXPECT_EQ(Facts("x", {"1,5", "2,5", "1,5", "2,5", "1,5"}, '.').kind, ColumnKind::kCategory);
}

TEST(ColumnFacts, AFewTextsAmongNumbersAreOdd) {
  std::vector<std::string> values;
  for (int value = 0; value < 99; ++value) values.push_back(fmt::format("{}", value * 37 % 101));
  values.emplace_back("abc");
  const ColumnFacts facts = Facts("x", values);
  EXPECT_EQ(facts.kind, ColumnKind::kNumber);
  EXPECT_EQ(facts.num_odd, 1);
}

TEST(ColumnFacts, KindsOfTexts) {
  EXPECT_EQ(Facts("x", {"a", "b", "a", "b", "a"}).kind, ColumnKind::kCategory);
  EXPECT_EQ(Facts("x", {"", "NA"}).kind, ColumnKind::kEmpty);
  EXPECT_EQ(Facts("x", {"a", "a", ""}).kind, ColumnKind::kConstant);
  EXPECT_EQ(Facts("x", Numbered(100, "user")).kind, ColumnKind::kIdentifier);
  EXPECT_EQ(Facts("x", Numbered(100, "how are you ")).kind, ColumnKind::kWords);
  std::vector<std::string> twice = Numbered(600, "street");
  for (const std::string& value : Numbered(600, "street")) twice.push_back(value);
  EXPECT_EQ(Facts("x", twice).kind, ColumnKind::kManyValues);
}

TEST(ColumnFacts, WholeNumbersThatAreDifferentAndNamedSoAreIdentifiers) {
  EXPECT_EQ(Facts("x", Numbered(100)).kind, ColumnKind::kCounter);
  std::vector<std::string> squares;
  for (int value = 0; value < 100; ++value)
    squares.push_back(fmt::format("{}", (value * 37) % 101 * 3));
  EXPECT_EQ(Facts("x", squares).kind, ColumnKind::kNumber);
  EXPECT_EQ(Facts("customer_id", squares).kind, ColumnKind::kIdentifier);
}

TEST(ColumnFacts, ValuesAreCountedUpToALimitAndEstimatedBeyond) {
  const ColumnFacts facts = Facts("x", Numbered(3000, "v"));
  EXPECT_TRUE(facts.more_distinct);
  EXPECT_EQ(facts.num_distinct(), 2000);
  EXPECT_NEAR(static_cast<double>(facts.num_different), 3000, 30);
  EXPECT_EQ(facts.kind, ColumnKind::kIdentifier);
  // Many users, each of whom comes often, do not name the records.
  std::vector<std::string> users;
  for (int row = 0; row < 30000; ++row) users.push_back(fmt::format("user{}", row * 7 % 5000));
  EXPECT_EQ(Facts("user", users).kind, ColumnKind::kManyValues);
}

std::vector<std::string> ValuesOf(int count, const std::function<std::string(int row)>& value) {
  std::vector<std::string> values;
  for (int row = 0; row < count; ++row) values.push_back(value(row));
  return values;
}

TEST(ColumnFacts, WholeNumbersThatLoseTheirDigitsAsNumbersAreCodes) {
  const std::vector<std::string> zips = {"01001", "02134", "10001", "94107"};
  const ColumnFacts zip = Facts("x", ValuesOf(80, [&](int row) { return zips[row % 4]; }));
  EXPECT_EQ(zip.kind, ColumnKind::kCategory);
  EXPECT_THAT(zip.because, HasSubstr("01001"));
  EXPECT_THAT(zip.question, IsEmpty());
  const ColumnFacts account =
      Facts("x", ValuesOf(80, [](int row) { return fmt::format("7656119800375355{}", row % 4); }));
  EXPECT_EQ(account.kind, ColumnKind::kCategory);
  EXPECT_THAT(account.because, HasSubstr("17 digits"));
  // Each record has another one.
  EXPECT_EQ(
      Facts("x", ValuesOf(80, [](int row) { return fmt::format("76561198003753{:03}", row * 7); }))
          .kind,
      ColumnKind::kIdentifier);
  const ColumnFacts phone =
      Facts("x", ValuesOf(80, [](int row) { return fmt::format("415555012{}", row * 3 % 7); }));
  EXPECT_EQ(phone.kind, ColumnKind::kCategory);
  EXPECT_THAT(phone.question, HasSubstr("codes or amounts"));
}

TEST(ColumnFacts, AmountsOfManyLengthsAreNumbers) {
  EXPECT_EQ(
      Facts("x",
            ValuesOf(80, [](int row) { return fmt::format("{}", (row * 37 % 80) << row % 30); }))
          .kind,
      ColumnKind::kNumber);
  EXPECT_EQ(
      Facts("x", ValuesOf(80, [](int row) { return fmt::format("0.{}", row * 37 % 80); })).kind,
      ColumnKind::kNumber);
}

TEST(ColumnFacts, CodesWithExponentsOrPointsAreAQuestion) {
  const std::vector<std::string> parts = {"1E5", "7E3", "12E4", "3E9"};
  const ColumnFacts exponents = Facts("x", ValuesOf(80, [&](int row) { return parts[row % 4]; }));
  EXPECT_EQ(exponents.kind, ColumnKind::kCategory);
  EXPECT_THAT(exponents.question, HasSubstr("have an exponent"));
  const std::vector<std::string> versions = {"1.1", "1.10", "1.2", "2.0"};
  const ColumnFacts points = Facts("x", ValuesOf(80, [&](int row) { return versions[row % 4]; }));
  EXPECT_EQ(points.kind, ColumnKind::kCategory);
  EXPECT_THAT(points.question, HasSubstr("'1.1' and '1.10'"));
  const std::vector<std::string> amounts = {"-0.000", "0.000", "0.125", "-0.500"};
  EXPECT_EQ(Facts("x", ValuesOf(80, [&](int row) { return amounts[row % 4]; })).kind,
            ColumnKind::kNumber);
  // As programs write small numbers.
  EXPECT_EQ(
      Facts("x", ValuesOf(80, [](int row) { return fmt::format("1.{}e-48", row * 37 % 80); })).kind,
      ColumnKind::kNumber);
}

TEST(ColumnFacts, ACounterMayBeginAgainAndCountDown) {
  EXPECT_EQ(
      Facts("x", ValuesOf(300, [](int row) { return fmt::format("{}", 52 - row % 53); })).kind,
      ColumnKind::kCounter);
  // In each file, and with a gap.
  const std::vector<TablePart> parts = {{0, 0}, {100, 1}, {200, 2}};
  const SampledColumn column = {
      "x", ValuesOf(300, [](int row) { return fmt::format("{}", row % 100 + (row % 100 > 50)); })};
  EXPECT_EQ(FactsOf(column, {}, parts).kind, ColumnKind::kCounter);
  // Hours, months and the places of results begin again, too.
  EXPECT_EQ(Facts("hour", ValuesOf(300, [](int row) { return fmt::format("{}", row % 24); })).kind,
            ColumnKind::kNumber);
  EXPECT_EQ(Facts("x", ValuesOf(300, [](int row) { return fmt::format("{}", 1 + row % 12); })).kind,
            ColumnKind::kNumber);
  // A missing value hides where it begins again.
  const auto gaps = [](int row) { return row % 5 == 0 ? "" : fmt::format("{}", row % 5); };
  EXPECT_EQ(Facts("x", ValuesOf(300, gaps)).kind, ColumnKind::kNumber);
  EXPECT_EQ(
      Facts("rank", ValuesOf(300, [](int row) { return fmt::format("{}", 1 + row % 10); })).kind,
      ColumnKind::kNumber);
}

TEST(ColumnFacts, AConstantOfEachFileNamesTheFile) {
  const std::vector<TablePart> parts = {{0, 0}, {20, 1}, {40, 2}};
  const SampledColumn station = {"s", ValuesOf(60, [](int row) { return row < 20 ? "a" : "b"; })};
  EXPECT_TRUE(FactsOf(station, {}, parts).names_files());
  EXPECT_FALSE(FactsOf(station, {}).names_files());
  const SampledColumn label = {"s", ValuesOf(60, [](int row) { return row % 2 == 0 ? "a" : "b"; })};
  EXPECT_FALSE(FactsOf(label, {}, parts).names_files());
}

TEST(ColumnFacts, TextsOfScriptsWithoutBlanksHaveWords) {
  EXPECT_EQ(CountWords("how are  you").words, 3);
  EXPECT_EQ(CountWords("\u4eca\u65e5\u306f\u3044\u3044\u5929\u6c17\u3067\u3059\u306d").words, 5);
  EXPECT_EQ(CountWords("Gr\u00fc\u00dfe").words, 1);
  const std::vector<std::string> kinds = {"\u0e01\u0e02\u0e03\u0e04\u0e05\u0e06\u0e07\u0e08",
                                          "\u4eca\u65e5\u5929\u6c14\u5f88\u597d\u554a\u5462"};
  const auto text = [&](int row) { return fmt::format("{}{}", kinds[row % 2], row); };
  EXPECT_EQ(Facts("x", ValuesOf(200, text)).kind, ColumnKind::kWords);
}

}  // namespace
}  // namespace tidemill

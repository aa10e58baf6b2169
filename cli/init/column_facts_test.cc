#include "cli/init/column_facts.h"

#include "fmt/format.h"
#include "gmock/gmock.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

ColumnFacts Facts(const std::string& name, const std::vector<std::string>& values,
                  char decimal = '.') {
  return FactsOf({name, values}, decimal);
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
  std::vector<std::string> values = Numbered(99);
  std::ranges::reverse(values);
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
  std::vector<std::string> twice = Numbered(150, "street");
  for (const std::string& value : Numbered(150, "street")) twice.push_back(value);
  EXPECT_EQ(Facts("x", twice).kind, ColumnKind::kManyValues);
}

TEST(ColumnFacts, WholeNumbersThatCountRowsAreIdentifiers) {
  EXPECT_EQ(Facts("x", Numbered(100)).kind, ColumnKind::kIdentifier);
  std::vector<std::string> squares;
  for (int value = 0; value < 100; ++value)
    squares.push_back(fmt::format("{}", (value * 37) % 101 * 3));
  EXPECT_EQ(Facts("x", squares).kind, ColumnKind::kNumber);
  EXPECT_EQ(Facts("customer_id", squares).kind, ColumnKind::kIdentifier);
}

TEST(ColumnFacts, ValuesAreCountedUpToALimit) {
  const ColumnFacts facts = Facts("x", Numbered(3000, "v"));
  EXPECT_TRUE(facts.more_distinct);
  EXPECT_EQ(facts.num_distinct(), 2000);
}

}  // namespace
}  // namespace tidemill::cli

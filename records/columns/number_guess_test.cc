#include "records/columns/number_guess.h"

#include "gmock/gmock.h"

namespace tidemill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using Columns = std::vector<SampledColumn>;

GuessedNumbers Guessed(Columns columns, std::optional<char> decimal = std::nullopt) {
  const auto rows = static_cast<int64_t>(columns.front().values.size());
  return GuessNumbers({.columns = std::move(columns), .num_rows = rows}, decimal);
}

std::string Notation(const GuessedNumbers& guessed) {
  return std::string(1, guessed.numbers.decimal) +
         (guessed.numbers.thousands == '\0' ? "" : std::string(1, guessed.numbers.thousands));
}

TEST(NumberGuess, KnowsTheWaysInWhichPeopleWrite) {
  const SampledColumn counts = {"n", {"3", "12", "7", "8"}};
  EXPECT_EQ(Notation(Guessed({counts, {"x", {"1.5", "2.25", "3", "4.125"}}})), ".");
  EXPECT_EQ(Notation(Guessed({counts, {"x", {"1,5", "2,25", "3", "4,125"}}})), ",");
  EXPECT_EQ(Notation(Guessed({counts, {"x", {"1.234,50", "12,25", "3", "4"}}})), ",.");
  EXPECT_EQ(Notation(Guessed({counts, {"x", {"1,234.50", "12.25", "3", "4"}}})), ".,");
  EXPECT_EQ(Notation(Guessed({counts, {"x", {"1'234.50", "12.25", "3", "4"}}})), ".'");
  EXPECT_EQ(Notation(Guessed({counts, {"x", {"1 234,50", "12,25", "3", "4"}}})), ", ");
  EXPECT_EQ(Notation(Guessed({counts, {"x", {"1,234,567", "12", "3,000", "4"}}})), ".,");
  EXPECT_EQ(Notation(Guessed({counts})), ".");
}

TEST(NumberGuess, ThreeDigitsAfterASeparatorAreAQuestion) {
  const GuessedNumbers grouped = Guessed({{"x", {"1,234", "567", "12,001", "90"}}});
  EXPECT_EQ(Notation(grouped), ".,");
  EXPECT_THAT(grouped.unknown, HasSubstr("--decimal ','"));
  EXPECT_EQ(Notation(Guessed({{"x", {"1,234", "567", "12,001", "90"}}}, ',')), ",");
  // With a leading zero it is a fraction.
  EXPECT_EQ(Notation(Guessed({{"x", {"0,234", "1,567", "2,001", "0,900"}}})), ",");
  const GuessedNumbers plain = Guessed({{"x", {"1.234", "0.567", "2.001", "0.900"}}});
  EXPECT_EQ(Notation(plain), ".");
  EXPECT_THAT(plain.unknown, IsEmpty());
}

TEST(NumberGuess, TheUnitIsThatOfTheWholeColumn) {
  const GuessedNumbers guessed = Guessed({{"weight", {"12.5 kg", "3 kg", "NA", "7"}},
                                          {"price", {"$1,200", "$3", "$17", ""}},
                                          {"share", {"12%", "3 %", "7 %", "8%"}},
                                          {"mixed", {"12 kg", "3 g", "7 g", "1 kg"}},
                                          {"code", {"A12", "A3", "A7", "A1"}},
                                          {"size", {"S", "M", "L", "M"}}});
  EXPECT_EQ(Notation(guessed), ".,");
  EXPECT_THAT(guessed.numbers.units,
              ElementsAre(Pair("price", "$"), Pair("share", "%"), Pair("weight", "kg")));
}

TEST(NumberGuess, DatesAndClocksAreNotNumbers) {
  const GuessedNumbers guessed = Guessed(
      {{"d", {"03.01.2024", "04.01.2024"}}, {"c", {"10:30", "11:45"}}, {"v", {"1.2.3", "1.2.4"}}});
  EXPECT_EQ(Notation(guessed), ".");
  EXPECT_THAT(guessed.numbers.units, IsEmpty());
}

}  // namespace
}  // namespace tidemill

#include "records/condition.h"

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::StatusIs;

// Whether a record whose only column is `user` matches.
bool Matches(std::string_view condition, std::optional<std::string_view> user) {
  const auto parsed = Condition::Parse(condition);
  EXPECT_THAT(parsed, IsOk());
  const std::optional<std::string_view> fields[] = {user};
  return parsed.ok() && parsed->Matches(fields);
}

TEST(ConditionTest, ComparesNumbersAsNumbers) {
  for (const char* const same : {"17", "017", "+17", "17.0", "1.7e1", " 17\r"}) {
    EXPECT_TRUE(Matches("user = 17", same)) << same;
    EXPECT_FALSE(Matches("user != 17", same)) << same;
  }
  for (const char* const other : {"170", "-17", "17a", "", "0x11", "1 7"}) {
    EXPECT_FALSE(Matches("user = 17", other)) << other;
    EXPECT_TRUE(Matches("user != 17", other)) << other;
  }
  EXPECT_TRUE(Matches("user<9", "-3"));
  EXPECT_TRUE(Matches("user > 9", "10"));
  EXPECT_FALSE(Matches("user < 9", "10"));
  EXPECT_TRUE(Matches("user >= 0.5", "0.50"));
  EXPECT_TRUE(Matches("user <= -2", "-10"));
  EXPECT_TRUE(Matches("user = 0", "-0"));
}

TEST(ConditionTest, KeepsLongIdsApartThatAreOneDouble) {
  EXPECT_FALSE(Matches("user = 9007199254740993", "9007199254740992"));
  EXPECT_TRUE(Matches("user = 9007199254740993", "9007199254740993"));
  EXPECT_FALSE(Matches("user = 123456789012345678901234567890", "123456789012345678901234567891"));
  EXPECT_TRUE(Matches("user > 99999999999999999999", "100000000000000000000"));
}

TEST(ConditionTest, ComparesAValueInQuotesAsText) {
  EXPECT_TRUE(Matches("user = 12e4", "120000"));
  EXPECT_FALSE(Matches("user = '12e4'", "120000"));
  EXPECT_TRUE(Matches("user = \"12e4\"", "12e4"));
  EXPECT_FALSE(Matches("user = '17'", "017"));
  EXPECT_TRUE(Matches("user < '9'", "10"));
  EXPECT_TRUE(Matches("user = 'O''Neill and sons'", "O'Neill and sons"));
  EXPECT_TRUE(Matches("user = ''", "  "));
  EXPECT_TRUE(Matches("user = anna", " anna "));
  EXPECT_FALSE(Matches("user = anna", "Anna"));
}

TEST(ConditionTest, NamesNoNumbersThatOnlyProgramsKnow) {
  EXPECT_FALSE(Matches("user < 5", "nan"));
  EXPECT_FALSE(Matches("user > 5", "-inf"));
  EXPECT_TRUE(Matches("user = nan", "nan"));
}

TEST(ConditionTest, MatchesNoRecordThatLacksTheColumn) {
  EXPECT_FALSE(Matches("user = 17", std::nullopt));
  EXPECT_FALSE(Matches("user != 17", std::nullopt));
}

TEST(ConditionTest, JoinsComparisonsWithAnd) {
  const auto parsed = Condition::Parse("\"User ID\"=17 and price >= 2.5 AND \"User ID\" != band");
  ASSERT_THAT(parsed, IsOk());
  EXPECT_THAT(parsed->columns(), ElementsAre("User ID", "price"));
  const auto matches = [&](std::string_view user, std::string_view price) {
    const std::optional<std::string_view> fields[] = {user, price};
    return parsed->Matches(fields);
  };
  EXPECT_TRUE(matches("17", "3"));
  EXPECT_FALSE(matches("17", "2"));
  EXPECT_FALSE(matches("18", "3"));
}

TEST(ConditionTest, AnEmptyConditionMatchesEverything) {
  const auto parsed = Condition::Parse("  ");
  ASSERT_THAT(parsed, IsOk());
  EXPECT_TRUE(parsed->Matches({}));
}

TEST(ConditionTest, SaysWhatIsMissingAndWhere) {
  const auto expect = [](std::string_view text, std::string_view what) {
    EXPECT_THAT(Condition::Parse(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(what))))
        << text;
  };
  expect("user", "at the end one of = != < <= > >= is missing");
  expect("user =", "at the end a value is missing");
  expect("= 17", "before '= 17' a column is missing");
  expect("user = 17 country = DE", "before 'country = DE' `and` is missing");
  expect("user = 17 or user = 18", "before 'or user = 18' `and` is missing");
  expect("user = 17 and", "`and` is missing");
  expect("user = 17 and ", "at the end a column is missing");
  expect("user = 'O'Neill'", "before 'Neill'' `and` is missing");
  expect("user = 'Neill", "a closing ' is missing");
  expect("user like 17", "before 'like 17' one of");
}

}  // namespace
}  // namespace tidemill

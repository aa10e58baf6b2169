#include "expressions/expression.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "expressions/testing/evaluate.h"

namespace tidemill::expressions {
namespace {

using ::testing::HasSubstr;

TEST(Expression, ComputesNumbersAsWritten) {
  EXPECT_EQ(ValueOf("1 + 2 * 3"), "7");
  EXPECT_EQ(ValueOf("(1 + 2) * 3"), "9");
  EXPECT_EQ(ValueOf("7 / 2"), "3.5");
  EXPECT_EQ(ValueOf("7 % 3"), "1");
  EXPECT_EQ(ValueOf("-7 % 3"), "-1");
  EXPECT_EQ(ValueOf("7.5 % 2"), "1.5");
  EXPECT_EQ(ValueOf("2 ^ 3 ^ 2"), "512");
  EXPECT_EQ(ValueOf("-2 ^ 2"), "-4");
  EXPECT_EQ(ValueOf("2 ^ -1"), "0.5");
  EXPECT_EQ(ValueOf("10 - 2 - 3"), "5");
  EXPECT_EQ(ValueOf("- -3"), "3");
  EXPECT_EQ(ValueOf("1e3"), "1000");
  EXPECT_EQ(ValueOf("abs(-3)"), "3");
  EXPECT_EQ(ValueOf("sqrt(2.25)"), "1.5");
  EXPECT_EQ(ValueOf("round(2.5)"), "3");
  EXPECT_EQ(ValueOf("round(-2.5)"), "-3");
  EXPECT_EQ(ValueOf("round(3.14159, 2)"), "3.14");
  EXPECT_EQ(ValueOf("round(1234, -2)"), "1200");
  EXPECT_EQ(ValueOf("floor(-1.5)"), "-2");
  EXPECT_EQ(ValueOf("exp(0) + log(1) + log1p(0)"), "1");
  EXPECT_EQ(ValueOf("min(3, 1, 2)"), "1");
  EXPECT_EQ(ValueOf("max(3, 1.5, null)"), "3");
  EXPECT_EQ(ValueOf("clip(12, 0, 10)"), "10");
  EXPECT_EQ(ValueOf("9007199254740993 + 1"), "9007199254740994");
}

TEST(Expression, NullsAreThoseOfSql) {
  EXPECT_EQ(ValueOf("null + 1"), "null");
  EXPECT_EQ(ValueOf("null = 1"), "null");
  EXPECT_EQ(ValueOf("null is null"), "true");
  EXPECT_EQ(ValueOf("1 is not null"), "true");
  EXPECT_EQ(ValueOf("false and null"), "false");
  EXPECT_EQ(ValueOf("true and null"), "null");
  EXPECT_EQ(ValueOf("true or null"), "true");
  EXPECT_EQ(ValueOf("false or null"), "null");
  EXPECT_EQ(ValueOf("not null"), "null");
  EXPECT_EQ(ValueOf("1 in (2, null)"), "null");
  EXPECT_EQ(ValueOf("1 in (1, null)"), "true");
  EXPECT_EQ(ValueOf("1 not in (2, 3)"), "true");
  EXPECT_EQ(ValueOf("'a' in ('b', 'a')"), "true");
  EXPECT_EQ(ValueOf("2 between 1 and 3"), "true");
  EXPECT_EQ(ValueOf("2 not between 1 and null"), "null");
  EXPECT_EQ(ValueOf("coalesce(null, 2.5)"), "2.5");
  EXPECT_EQ(ValueOf("nullif(3, 3)"), "null");
  EXPECT_EQ(ValueOf("if(null, 1, 2)"), "2");
  EXPECT_EQ(ValueOf("case when 1 > 2 then 'a' when 2 > 1 then 'b' else 'c' end"), "b");
  EXPECT_EQ(ValueOf("case when false then 1 end"), "null");
}

TEST(Expression, ANumberThatIsNotFiniteIsNull) {
  EXPECT_EQ(ValueOf("1 / 0"), "null");
  EXPECT_EQ(ValueOf("1 % 0"), "null");
  EXPECT_EQ(ValueOf("1.5 % 0"), "null");
  EXPECT_EQ(ValueOf("log(0)"), "null");
  EXPECT_EQ(ValueOf("log1p(-1)"), "null");
  EXPECT_EQ(ValueOf("sqrt(-1)"), "null");
  EXPECT_EQ(ValueOf("exp(1000)"), "null");
  EXPECT_EQ(ValueOf("9223372036854775807 + 1"), "null");
  EXPECT_EQ(ValueOf("9223372036854775807 * 2"), "null");
}

TEST(Expression, ComputesTexts) {
  EXPECT_EQ(ValueOf("lower('ÄbC')"), "äbc");
  EXPECT_EQ(ValueOf("upper('äbc')"), "ÄBC");
  EXPECT_EQ(ValueOf("trim('  a b ')"), "a b");
  EXPECT_EQ(ValueOf("length('äb')"), "2");
  EXPECT_EQ(ValueOf("contains('abc', 'bc')"), "true");
  EXPECT_EQ(ValueOf("starts_with('abc', 'bc')"), "false");
  EXPECT_EQ(ValueOf("ends_with('abc', 'bc')"), "true");
  EXPECT_EQ(ValueOf("matches('N123', '^N[0-9]+$')"), "true");
  EXPECT_EQ(ValueOf("concat('a', null, 1, ' ', 2.5, true)"), "a1 2.5true");
  EXPECT_EQ(ValueOf("split('a b c', ' ')[1]"), "b");
  EXPECT_EQ(ValueOf("split('a b c', ' ')[-1]"), "c");
  EXPECT_EQ(ValueOf("split('a b c', ' ')[-3]"), "a");
  EXPECT_EQ(ValueOf("split('a b c', ' ')[3]"), "null");
  EXPECT_EQ(ValueOf("'it''s'"), "it's");
  EXPECT_EQ(ValueOf("'a' < 'b'"), "true");
  EXPECT_EQ(ValueOf("concat('', null)"), "");
  EXPECT_EQ(ValueOf("number('2.5') * 2"), "5");
  EXPECT_EQ(ValueOf("number('abc')"), "null");
  EXPECT_EQ(ValueOf("whole('12') + 1"), "13");
  EXPECT_EQ(ValueOf("whole(2.5)"), "3");
  EXPECT_EQ(ValueOf("text(2.5)"), "2.5");
}

TEST(Expression, ComputesTimes) {
  EXPECT_EQ(ValueOf("year('2024-02-29T13:45:00Z')"), "2024");
  EXPECT_EQ(ValueOf("month(time('2024-02-29'))"), "2");
  EXPECT_EQ(ValueOf("day(time('29.02.2024', '%d.%m.%Y'))"), "29");
  EXPECT_EQ(ValueOf("weekday('2024-02-29')"), "4");
  EXPECT_EQ(ValueOf("hour('2024-07-01T23:30:00Z', 'Europe/Zurich')"), "1");
  EXPECT_EQ(ValueOf("minute('1969-12-31T23:59:00Z')"), "59");
  EXPECT_EQ(ValueOf("day_of_year('2024-12-31')"), "366");
  EXPECT_EQ(ValueOf("epoch('1970-01-02')"), "86400");
  EXPECT_EQ(ValueOf("time('2024-01-01') - '2023-12-31'"), "86400");
  EXPECT_EQ(ValueOf("time('2024-01-01') + 3600 = '2024-01-01T01:00:00Z'"), "true");
  EXPECT_EQ(ValueOf("time('noon')"), "null");
  EXPECT_EQ(ValueOf("day(time(4.6e12) + 4.6e12, 'Asia/Tokyo')"), "null");
  EXPECT_EQ(ValueOf("year(time(-4.6e12))"), "null");
  EXPECT_EQ(ValueOf("year(time(253402300799))"), "9999");
}

TEST(Expression, ReadsColumnsOfTextsAsTheyAreNeeded) {
  const Row row = {{"delay", "12.5"}, {"date", "2024-02-29"}, {"name", " Ann "}, {"empty", ""}};
  EXPECT_EQ(ValueOf("delay >= 12", row), "true");
  EXPECT_EQ(ValueOf("delay + 1", row), "13.5");
  EXPECT_EQ(ValueOf("weekday(date)", row), "4");
  EXPECT_EQ(ValueOf("lower(trim(name)) = 'ann'", row), "true");
  EXPECT_EQ(ValueOf("empty > 1", row), "null");
  EXPECT_EQ(ValueOf("empty is null", row), "true");
  EXPECT_EQ(ValueOf("length(delay)", row), "4");
  EXPECT_EQ(ValueOf("coalesce(empty, delay) * 2", row), "25");
  EXPECT_EQ(ValueOf("delay", row), "12.5");
  EXPECT_EQ(ValueOf("coalesce(empty, name)", row), " Ann ");
}

TEST(Expression, NamesMayBeQuotedAndHaveParts) {
  const Row row = {{"arr delay", "1"}, {"a.b", "2"}, {"topics[0]", "3"}, {"a[\"b c\"].d", "4"}};
  EXPECT_EQ(ValueOf("\"arr delay\" + a.b + topics[0] + a[\"b c\"].d", row), "10");
}

struct Mistaken {
  std::string_view text;
  std::string_view message;
};

class Mistakes : public ::testing::TestWithParam<Mistaken> {};

TEST_P(Mistakes, AreReportedWithTheirPlace) {
  const absl::Status status = StatusOf(GetParam().text);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), GetParam().message);
}

// The columns are price (number), user (whole), name (text), valid (truth), at (time).
INSTANTIATE_TEST_SUITE_P(
    OfEveryKind, Mistakes,
    ::testing::Values(
        Mistaken{"", "the expression is empty"},
        Mistaken{"price >> 15", "column 8 of 'price >> 15': a value is expected before '>'"},
        Mistaken{"price >", "column 8 of 'price >': a value is expected before the end"},
        Mistaken{"(price > 1", "column 11 of '(price > 1': a ) is missing before the end"},
        Mistaken{"price > 1 price",
                 "column 11 of 'price > 1 price': the expression is complete before 'price'"},
        Mistaken{"1 < price < 2",
                 "column 11 of '1 < price < 2': comparisons are joined with "
                 "`and`; it is missing before '<'"},
        Mistaken{"name = 'a",
                 "column 8 of 'name = 'a': the quote is not closed; a quote within quotes is "
                 "doubled: 'O''Neill'"},
        Mistaken{"price && valid", "column 7 of 'price && valid': && is written `and`"},
        Mistaken{"price $ 2", "column 7 of 'price $ 2': '$' means nothing here"},
        Mistaken{"pricee > 1",
                 "column 1 of 'pricee > 1': there is no column 'pricee'; did you "
                 "mean 'price'?; the columns are price, user, name, valid, at"},
        Mistaken{"sqr(price)",
                 "column 1 of 'sqr(price)': there is no function 'sqr'; did you mean "
                 "'sqrt'?; `tidemill explain expressions` lists them"},
        Mistaken{"sqrt(price, 2)",
                 "column 1 of 'sqrt(price, 2)': sqrt takes 1 argument, not 2: sqrt(x)"},
        Mistaken{"round()",
                 "column 1 of 'round()': round takes 1 or 2 arguments, not 0: "
                 "round(x, digits)"},
        Mistaken{"if(valid, 1)",
                 "column 1 of 'if(valid, 1)': if takes 3 arguments, not 2: if(condition, a, b)"},
        Mistaken{"sqrt(name)", "column 6 of 'sqrt(name)': sqrt takes a number, but this is a text"},
        Mistaken{"price + name", "column 7 of 'price + name': + does not take a number and a text"},
        Mistaken{"name > 1",
                 "column 6 of 'name > 1': > compares a text and a whole number; a text "
                 "is read as a number by number(x)"},
        Mistaken{"at > name",
                 "column 4 of 'at > name': > compares a time and a text; a text is "
                 "read as a time by time(x)"},
        Mistaken{"at > 'noon'",
                 "column 6 of 'at > 'noon'': 'noon' is not a time: it does not begin "
                 "with a date like 2026-01-31"},
        Mistaken{"if(valid, 1, 'a')",
                 "column 1 of 'if(valid, 1, 'a')': if takes values of one "
                 "type, not a whole number and a text; a text is read as a "
                 "number by number(x)"},
        Mistaken{"if(price, 1, 2)",
                 "column 4 of 'if(price, 1, 2)': the condition is a number, but a boolean is "
                 "needed, such as x > 0"},
        Mistaken{"price and valid",
                 "column 7 of 'price and valid': and does not take a number and a boolean"},
        Mistaken{"matches(name, '[')",
                 "column 15 of 'matches(name, '[')': the pattern is not a regular expression: "
                 "missing ]: ["},
        Mistaken{"matches(name, name)",
                 "column 15 of 'matches(name, name)': this argument of "
                 "matches must be written out: matches(x, 'pattern')"},
        Mistaken{"hash(name, 0)",
                 "column 12 of 'hash(name, 0)': the number of buckets is a whole "
                 "number from 1 on"},
        Mistaken{"round(price, 99)",
                 "column 14 of 'round(price, 99)': the digits are a whole "
                 "number from -15 to 15"},
        Mistaken{"split(name, ' ')",
                 "column 17 of 'split(name, ' ')': the number of a part, such "
                 "as split(x, ' ')[0], is missing before the end"},
        Mistaken{"hour(at, 'Mars')",
                 "column 10 of 'hour(at, 'Mars')': time zone 'Mars' is unknown"},
        Mistaken{"null", "column 1 of 'null': the type of this null is unclear"},
        Mistaken{
            "99999999999999999999",
            "column 1 of '99999999999999999999': 99999999999999999999 "
            "is larger than a whole number can be; as a text it is '99999999999999999999', as a "
            "number with about 16 exact digits 99999999999999999999.0"},
        Mistaken{"case name when 'a' then 1 end",
                 "column 6 of 'case name when 'a' then 1 end': `case when condition then value ... "
                 "end` is written so; `when` is missing before 'name'"}));

TEST(Expression, ThatIsNotABooleanIsRefusedWhereOneIsNeeded) {
  EXPECT_EQ(std::string(StatusOf("price + 1", Type::kTruth).message()),
            "column 1 of 'price + 1': the expression is a number, but a boolean is needed, such as "
            "price > 0");
}

TEST(Expression, PlacesAreLinesAndColumnsOfCharacters) {
  EXPECT_THAT(std::string(StatusOf("name = 'ä'\nand pricee > 1").message()),
              HasSubstr("line 2, column 5 of"));
}

TEST(Expression, DeepAndLongOnesAreRefused) {
  const std::string deep = std::string(100, '(') + "1" + std::string(100, ')');
  EXPECT_THAT(std::string(StatusOf(deep).message()), HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(std::string(StatusOf(std::string(5000, ' ') + "1").message()),
              HasSubstr("has 5001 bytes"));
  std::string chain = "price";
  while (chain.size() < 4000) chain += "+price";
  EXPECT_TRUE(StatusOf(chain).ok());
}

TEST(Expression, OfFloatsComparesWithLiteralsAsFloats) {
  EXPECT_EQ(ValueOfFloat("x = 0.1", 0.1F), "true");
  EXPECT_EQ(ValueOfFloat("x > 0.1", 0.1F), "false");
  EXPECT_EQ(ValueOfFloat("x in (0.1, 2)", 0.1F), "true");
  EXPECT_EQ(ValueOfFloat("x between 0.1 and 1", 0.1F), "true");
}

TEST(Expression, OfLargeWholeNumbersSaysHowTheyAreExact) {
  EXPECT_THAT(std::string(StatusOf("other = 9007199254740993", std::nullopt, true).message()),
              HasSubstr("write whole(x) for the column"));
  EXPECT_EQ(ValueOf("whole(id) = 9007199254740993", {{"id", "9007199254740993"}}), "true");
  EXPECT_EQ(ValueOf("whole(id) = 9007199254740993", {{"id", "9007199254740992"}}), "false");
}

TEST(Expression, ThatSaysNothingOfAColumnAsksForIt) {
  EXPECT_EQ(std::string(StatusOf("other = another", std::nullopt, true).message()),
            "column 1 of 'other = another': it is unclear whether other is compared as a number "
            "or as a text; write number(other) or text(other); a text is written in single quotes: "
            "'another'");
}

TEST(Expression, AsksForTheSameNullsWhateverAColumnIsReadAs) {
  for (const char* const missing : {"NA", "n/a", " NaN ", "NULL", "", "  "}) {
    for (const char* const asked :
         {"x is null", "not (x is not null)", "coalesce(x, 'none') = 'none'", "number(x) is null",
          "x is null and coalesce(number(x), 0) = 0"}) {
      EXPECT_EQ(ValueOf(asked, {{"x", missing}}), "true") << asked << " of '" << missing << "'";
    }
    EXPECT_EQ(ValueOf("x > 0", {{"x", missing}}), "null") << missing;
  }
  EXPECT_EQ(ValueOf("x is null", {{"x", "nap"}}), "false");
  // As texts, fields are what is written: Namibia is a country.
  EXPECT_EQ(ValueOf("x = 'NA'", {{"x", "NA"}}), "true");
  EXPECT_EQ(ValueOf("x != 'DE' and text(x) is not null", {{"x", "NA"}}), "true");
  EXPECT_EQ(ValueOf("lower(x) in ('na', 'de')", {{"x", "NA"}}), "true");
}

TEST(Expression, ComposesLettersAndTheirMarks) {
  const Row row = {{"t", "cafe\u0301"}, {"u", "caf\u00e9"}, {"bad", "e\xcc"}};
  EXPECT_EQ(ValueOf("text(t) = text(u)", row), "false");
  EXPECT_EQ(ValueOf("nfc(t) = text(u)", row), "true");
  EXPECT_EQ(ValueOf("nfc(u) = text(u)", row), "true");
  EXPECT_EQ(ValueOf("length(nfc(t))", row), "4");
  EXPECT_EQ(ValueOf("nfc('ab')", row), "ab");
  EXPECT_EQ(ValueOf("nfc(bad) = text(bad)", row), "true");
  EXPECT_EQ(ValueOf("nfc(nullif(text(t), text(t)))", row), "null");
}

TEST(Expression, ReadsTimesOnTheClockThatItsColumnsHave) {
  const Row row = {{"t", "2026-01-05 08:30:00"}, {"u", "2026-01-05T08:30:00Z"}};
  const auto value = [&](std::string_view text) { return ValueOf(text, row, "America/New_York"); };
  EXPECT_EQ(value("hour(t)"), "8");
  EXPECT_EQ(value("hour(u)"), "3");
  EXPECT_EQ(value("hour(u, 'UTC')"), "8");
  EXPECT_EQ(value("time(t) - time(u)"), "18000");
  EXPECT_EQ(value("epoch(t) - epoch(u)"), "18000");
  EXPECT_EQ(value("t - '2026-01-05'"), "30600");
  EXPECT_EQ(value("time(t) = '2026-01-05 08:30:00'"), "true");
  EXPECT_EQ(value("time(u) = '2026-01-05 03:30:00'"), "true");
  EXPECT_EQ(value("time(u) in ('2026-01-05 03:30:00', '2026-01-06')"), "true");
  EXPECT_EQ(value("time(u) between '2026-01-05 03:00' and '2026-01-05 04:00'"), "true");
  EXPECT_EQ(value("time(concat('2026-01-05', ' 03:30')) = time(u)"), "true");
  EXPECT_EQ(value("time('05.01.2026', '%d.%m.%Y') = time('2026-01-05T05:00:00Z')"), "true");
  EXPECT_EQ(value("time('05.01.2026', '%d.%m.%Y', 'UTC') = time('2026-01-05T00:00:00Z')"), "true");
  EXPECT_EQ(value("day(time(1767225600))"), "31");
  EXPECT_THAT(value("time(t) > '2026-03-08 02:30:00'"),
              HasSubstr("does not exist in America/New_York"));
  EXPECT_EQ(ValueOf("hour(t)", row, "+08:00"), "8");
}

}  // namespace
}  // namespace tidemill::expressions

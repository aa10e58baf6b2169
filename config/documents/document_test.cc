#include "config/documents/document.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"

namespace tidemill::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;

using Texts = std::map<std::string, std::string>;

Decoded<Texts> DecodeTexts(std::string_view text) {
  return Decode<Texts>(
      {.text = text, .name = "d.yaml", .variables = {{"DATA", "/my data"}, {"YES", "yes"}}});
}

std::string TextOf(std::string_view yaml) {
  const auto decoded = DecodeTexts("a: " + std::string(yaml));
  EXPECT_EQ(decoded.problems.ToString(), "") << yaml;
  return decoded.value.contains("a") ? decoded.value.at("a") : "";
}

struct Trap {
  std::string text;
  Position position;
  const char* message;
};

TEST(Document, RefusesWhatYamlReadersDisagreeAbout) {
  const Trap traps[] = {
      {"a: x\nb: y\na: z\n", {3, 1}, "duplicate key 'a'; it is already on line 1"},
      {"\"a\": x\na: y", {2, 1}, "duplicate key 'a'"},
      {"a: !!str x", {1, 4}, "YAML tags are not used here"},
      {"a: !foo x", {1, 4}, "YAML tags are not used here"},
      {"a: x\n---\nb: y\n", {2, 1}, "a second document starts here"},
      {"- x\nb: y\n", {2, 1}, "unexpected text after the end of the document"},
      {"[a]: x", {1, 1}, "keys must be texts"},
      {"a: \"x\nb: y\n", {1, 4}, "this quote is never closed"},
      {"a: [x, y\nb: z\n", {1, 4}, "this '[' is not closed"},
      {"a: {x: y\n", {1, 4}, "this '{' is not closed"},
      {"a:\n\tb: y\n", {2, 1}, "the indentation contains a tab"},
      {"a: x\n\tb: y\n", {2, 1}, "the indentation contains a tab"},
      {"a: x: y\n", {1, 5}, "unexpected ':'"},
      {"a: x\nb y\nc: z\n", {2, 1}, "no ':' follows 'b'"},
      {"a: x\nb {c: y, d: z}\n", {2, 1}, "no ':' follows 'b'"},
      {"a: @x\n", {1, 4}, "a text cannot start with this character"},
      {"a: *x\n", {1, 4}, "the referenced anchor is not defined"},
      {"a: &x [*x]\n", {1, 8}, "this alias refers to a value that contains it"},
      {"{a: ${DATA}/x}", {1, 6}, "cannot read this '{'"},
      {"a: x\nb: \xff\n", {2, 4}, "byte 0xFF is not UTF-8 text"},
      {std::string("a: x\0", 5), {1, 5}, "byte 0x00 is not UTF-8 text"},
      {"a: ${DAT}", {1, 4}, "unknown variable '${DAT}'"},
      {"a: ${DATA", {1, 4}, "'${' without '}'"},
      {std::string(151, 'k') + ": x", {1, 1}, "a key has more than 150 bytes"},
  };
  for (const Trap& trap : traps) {
    SCOPED_TRACE(trap.text);
    const Problems problems = DecodeTexts(trap.text).problems;
    ASSERT_FALSE(problems.empty());
    EXPECT_EQ(problems.items()[0].position, trap.position);
    EXPECT_THAT(problems.ToString(), HasSubstr(trap.message));
  }
}

TEST(Document, RefusesPlainTextsThatOthersReadAsNumbersOrBooleans) {
  for (const char* text : {"no", "Yes", "ON", "off", "true", "012", "1.10", "1e3", "0x1F", "0o17",
                           "1:30", "12:30:45.5", "+5", "1_000", ".inf", "-.INF", ".5", "-0"}) {
    EXPECT_THAT(DecodeTexts(std::string("a: ") + text).problems.ToString(),
                AllOf(HasSubstr("can be read as something other than a text"),
                      HasSubstr("quote it: \"" + std::string(text) + "\"")))
        << text;
    EXPECT_EQ(TextOf('"' + std::string(text) + '"'), text);
    EXPECT_TRUE(DecodeTexts("\"" + std::string(text) + "\": x").problems.empty());
    EXPECT_FALSE(DecodeTexts(std::string(text) + ": x").problems.empty()) << text;
  }
}

TEST(Document, KeepsTextsThatAreSafe) {
  for (const char* text : {"x", "0", "-17", "10.0.0.1", "2026-01-31", "1.2.3", "none", "a b", "1 2",
                           "12:30 h", "e5", "./x", "1st", "y", "häuser", "日本"}) {
    EXPECT_EQ(TextOf(text), text);
  }
}

TEST(Document, ReadsQuotesBlocksAndWindowsLineEnds) {
  EXPECT_EQ(TextOf("'it''s'"), "it's");
  EXPECT_EQ(TextOf("\"a\\\"b\\n\""), "a\"b\n");
  EXPECT_EQ(TextOf("|\n  \tx\n  y\n"), "\tx\ny\n");
  EXPECT_EQ(TextOf("x # a comment"), "x");
  EXPECT_THAT(DecodeTexts("\xEF\xBB\xBF"
                          "a: x\r\nb: y\r\n")
                  .value,
              ElementsAre(std::pair("a", "x"), std::pair("b", "y")));
}

TEST(Document, CountsColumnsInCharacters) {
  const auto problems = DecodeTexts("\"größe\": no").problems;
  EXPECT_EQ(problems.items()[0].position, (Position{1, 10}));
  EXPECT_THAT(problems.ToString(), HasSubstr("      |          ^^ quote it"));
}

TEST(Document, ShowsTheEndOfALongLine) {
  const std::string text = "{a: " + std::string(3000, 'x') + ", b: no}";
  const std::string message = DecodeTexts(text).problems.ToString();
  EXPECT_THAT(message, HasSubstr("xxx, b: no}\n"));
  EXPECT_LT(message.size(), 500u);
}

TEST(Document, FillsInVariables) {
  EXPECT_EQ(TextOf("${DATA}/x"), "/my data/x");
  EXPECT_EQ(TextOf("'<${DATA}|${YES}>'"), "</my data|yes>");
  EXPECT_EQ(TextOf("${YES}"), "yes");
  EXPECT_EQ(TextOf("$${DATA} $x $ $$ }"), "${DATA} $x $ $$ }");
  EXPECT_THAT(DecodeTexts("a: ${DATTA}").problems.ToString(),
              AllOf(HasSubstr("did you mean 'DATA'?"), HasSubstr("known variables: DATA, YES")));
  EXPECT_THAT(Read<Texts>("a: ${DATA}", "d").status().ToString(),
              HasSubstr("no variables are defined for this document"));
}

TEST(Document, NumbersMayComeFromVariables) {
  const auto decoded =
      Decode<std::vector<int>>({.text = "[\"${N}\", 2]", .name = "d", .variables = {{"N", "7"}}});
  EXPECT_THAT(decoded.value, ElementsAre(7, 2));
  EXPECT_EQ(decoded.problems.ToString(), "");
}

TEST(Document, FollowsAliasesWithinLimits) {
  EXPECT_THAT(DecodeTexts("a: &x hello\nb: *x\n").value.at("b"), "hello");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  const auto problems = DecodeTexts(bomb).problems;
  EXPECT_THAT(problems.items(), SizeIs(1));
  EXPECT_THAT(problems.ToString(), HasSubstr("more than 50000 values, with aliases expanded"));
}

TEST(Document, LimitsWhatVariablesAddToIt) {
  // 15 GB, were it written out.
  std::string text = "a: \"";
  for (int i = 0; i < 1'500; ++i) text += "${V}";
  const auto long_value = Decode<Texts>(
      {.text = text + "\"\n", .name = "d", .variables = {{"V", std::string(10'000'000, 'x')}}});
  EXPECT_THAT(long_value.problems.items(), SizeIs(1));
  EXPECT_THAT(long_value.problems.ToString(),
              HasSubstr("with ${V}, variables and aliases add more than 8388608 bytes"));
  const auto many = Decode<Texts>(
      {.text = text + "\"\n", .name = "d", .variables = {{"V", std::string(6'000, 'x')}}});
  EXPECT_THAT(many.problems.ToString(), HasSubstr("add more than 8388608 bytes"));
  const auto few = Decode<Texts>(
      {.text = text + "\"\n", .name = "d", .variables = {{"V", std::string(5'000, 'x')}}});
  EXPECT_EQ(few.problems.ToString(), "");
  EXPECT_EQ(few.value.at("a").size(), 7'500'000u);
}

TEST(Document, LimitsWhatAliasesAddToIt) {
  std::string text = "a: &a " + std::string(500'000, 'x') + "\n";
  for (int i = 0; i < 40'000; ++i) text += "b" + std::to_string(i) + ": *a\n";
  EXPECT_THAT(DecodeTexts(text).problems.ToString(),
              HasSubstr("with this alias, variables and aliases add more than 8388608 bytes"));
}

TEST(Document, LimitsVariablesAndMessagesAboutUnknownOnes) {
  std::map<std::string, std::string> variables;
  for (int i = 0; i < 1'000; ++i) variables["NAME_" + std::to_string(i)] = "x";
  std::string text = "a: \"";
  for (int i = 0; i < 200'000; ++i) text += "${N}";
  const auto unknown = Decode<Texts>({.text = text + "\"", .name = "d", .variables = variables});
  EXPECT_THAT(unknown.problems.items(), SizeIs(1'000));
  EXPECT_THAT(unknown.problems.ToString(), HasSubstr(" and 980 more"));
  variables["ANOTHER"] = "x";
  EXPECT_THAT(Decode<Texts>({.text = "", .name = "d", .variables = variables}).problems.ToString(),
              HasSubstr("1001 variables are defined; the most is 1000"));
  EXPECT_THAT(Decode<Texts>({.text = "", .name = "d", .variables = {{std::string(300, 'V'), "x"}}})
                  .problems.ToString(),
              HasSubstr("the name of a variable has 300 bytes; the most is 256"));
}

TEST(Document, LimitsSizeDepthAndNumberOfValues) {
  const auto message = [](const std::string& text) {
    return DecodeTexts(text).problems.ToString();
  };
  EXPECT_THAT(message("a: " + std::string(1 << 20, 'x')), HasSubstr("more than 1048576 bytes"));
  EXPECT_THAT(message("a: " + std::string(101, '[')), HasSubstr("nested more than 100 levels"));
  EXPECT_THAT(message("a: " + std::string(5000, '[')), HasSubstr("nested more than 100 levels"));
  std::string deep = "a: &a " + std::string(60, '[') + std::string(60, ']');
  EXPECT_THAT(message(deep + "\nb: " + std::string(60, '[') + "*a" + std::string(60, ']')),
              HasSubstr("nested more than 100 levels"));
  std::string wide = "[";
  for (int i = 0; i < 50'001; ++i) wide += "x,";
  EXPECT_THAT(message(wide + "]"), HasSubstr("more than 50000 values"));
}

}  // namespace
}  // namespace tidemill::config

#include "records/json_fields.h"

#include <random>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "nlohmann/json.hpp"

#include "base/testing/status_matchers.h"

namespace tidemill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// The values as text, each with a letter for its kind.
std::vector<std::string> Found(JsonFields& fields, std::string_view text) {
  EXPECT_THAT(fields.Read(text), IsOk()) << text;
  std::vector<std::string> found;
  for (const JsonValue& value : fields.values()) {
    found.push_back(fmt::format("{}{}", "-0tnb["[static_cast<int>(value.kind)], value.text));
  }
  return found;
}

TEST(JsonFields, FindsTheRequestedFieldsAtAnyPlace) {
  JsonFields fields({"n", "text", "deep.down", "flag", "none", "gone", "list"});
  EXPECT_THAT(Found(fields, R"({"x": [1, {"n": 2}], "list": [3], "none": null, "flag": true,
                               "deep": {"up": 1, "down": -2.50e3}, "text": "a\"\u00fc\n", "n": 7 })"),
              ElementsAre("n7", "ta\"\xc3\xbc\n", "n-2.50e3", "btrue", "0null", "-", "["));
  EXPECT_THAT(Found(fields, "{}"), ElementsAre("-", "-", "-", "-", "-", "-", "-"));
  EXPECT_THAT(Found(fields, R"({"none": NaN, "deep": {"down": {}}, "gone": ""})"),
              ElementsAre("-", "-", "[", "-", "0NaN", "t", "-"));
}

// `levels` objects within one another, and a number in the last one.
std::string Nested(size_t levels) {
  std::string text;
  for (size_t level = 0; level < levels; ++level) text += "{\"a\":";
  return text + "1" + std::string(levels, '}');
}

std::string PathOf(size_t steps) {
  std::string path = "a";
  for (size_t step = 1; step < steps; ++step) path += ".a";
  return path;
}

TEST(JsonFields, APathHasAHundredStepsAtMost) {
  JsonFields fields({PathOf(kMaxJsonSteps), PathOf(kMaxJsonSteps + 1), PathOf(1'000'000)});
  EXPECT_THAT(Found(fields, Nested(kMaxJsonSteps)), ElementsAre("n1", "-", "-"));
  EXPECT_THAT(Found(fields, Nested(kMaxJsonSteps + 1)), ElementsAre("[", "-", "-"));
}

TEST(JsonFields, ANameWithDotsIsAPathOrAName) {
  JsonFields fields({"a.b", "a"});
  EXPECT_THAT(Found(fields, R"({"a.b": 1})"), ElementsAre("n1", "-"));
  EXPECT_THAT(Found(fields, R"({"a": {"b": 2}})"), ElementsAre("n2", "["));
  EXPECT_THAT(Found(fields, R"({"\u0061.b": 5})"), ElementsAre("n5", "-"));
}

TEST(JsonFields, TakesElementsOfListsByTheirPlace) {
  JsonFields fields({"topics[0]", "topics[2]", "a.b[1].c", "m[1][0]", "topics"});
  EXPECT_THAT(Found(fields, R"({"m": [[1], [2, 3], [4]], "topics": ["x", "y", 7, "z"],
                        "a": {"b": [{"c": 1}, {"d": [9], "c": null}, {"c": 3}]}, "n": 1})"),
              ElementsAre("tx", "n7", "0null", "n2", "["));
  // Too short, no list, an element that is none, and nothing at all.
  EXPECT_THAT(Found(fields, R"({"topics": ["x"], "a": {"b": {"c": 1}}, "m": [1, {}]})"),
              ElementsAre("tx", "-", "-", "-", "["));
  EXPECT_THAT(Found(fields, R"({"topics": [[1], 2, {"e": 3}], "m": [], "a": {"b": []}})"),
              ElementsAre("[", "[", "-", "-", "["));
  EXPECT_THAT(Found(fields, R"({"topics": "xyz"})"), ElementsAre("-", "-", "-", "-", "txyz"));
}

TEST(JsonFields, RefusesAFieldThatOccursTwiceWithDifferentValues) {
  JsonFields fields({"a", "b.c", "d[0]"});
  for (const std::string_view text :
       {R"({"a": 1, "a": 2})", R"({"a": 1, "a": "1"})", R"({"a": null, "a": NaN})",
        R"({"b": {"c": 1}, "b": {"c": 2}})", R"({"b": {"c": 1}, "b.c": 3})",
        R"({"b": {"c": 1, "c": 2}})", R"({"d": [1], "d": [2]})", R"({"a": {}, "a": {}})"}) {
    EXPECT_THAT(fields.Read(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                            HasSubstr("twice, with different values")))
        << text;
  }
  EXPECT_THAT(Found(fields, R"({"a": 1, "x": 1, "x": 2, "a": 1})"), ElementsAre("n1", "-", "-"))
      << "equal values, and fields that nobody asks for";
}

TEST(JsonFields, SaysThatAnObjectIsAnElementOfAnArray) {
  JsonFields fields({"a"});
  for (const std::string_view text : {"{\"a\": 1},", "{\"a\": 1} , ", "[{\"a\": 1},", "[", "]"}) {
    EXPECT_THAT(fields.Read(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                            HasSubstr("is the file one JSON array?")))
        << text;
  }
}

TEST(JsonFields, TakesNamesInQuotesLiterally) {
  JsonFields fields({R"(a["b c"])", R"(a["b.c"].d[0])", R"(["x y"])", R"(a["q\"\\"])"});
  EXPECT_THAT(Found(fields, R"({"a": {"b c": 1, "b.c": {"d": [2]}, "q\"\\": 4}, "x y": 3})"),
              ElementsAre("n1", "n2", "n3", "n4"));
}

TEST(JsonFields, ThatAreNotPathsAreNames) {
  const std::vector<std::string> names = {"price[EUR]", "a[",     "a[1", "a[-1]", "a[1]b",
                                          "[0]",        "a[\"b]", "a[]", "]",     "a[99999999999]"};
  JsonFields fields(names);
  nlohmann::json object = {{"a", {1, 2}}};
  for (const std::string& name : names) object[name] = "x";
  EXPECT_THAT(Found(fields, object.dump()), ::testing::Each("tx"));
  EXPECT_THAT(Found(fields, R"({"a": [1, 2], "price": ["EUR"]})"), ::testing::Each("-"));
}

TEST(JsonFields, FindsADamagedListAndWhatFollowsOne) {
  JsonFields fields({"a[1]", "b"});
  EXPECT_THAT(Found(fields, R"({"a": [{"x": [1, [2]]}, 5, {"y": {}}, [6]], "b": 1})"),
              ElementsAre("n5", "n1"));
  for (const std::string_view text :
       {R"({"a": [1, )", R"({"a": [1, nope], "b": 1})", R"({"a": [1, "\q"]})", R"({"a": [1 2]})"}) {
    EXPECT_THAT(fields.Read(text), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(" ")))
        << text;
  }
}

TEST(JsonFields, RefusesWhatIsNotOneObject) {
  JsonFields fields({"a"});
  for (const std::string_view text : {"",
                                      " ",
                                      "1",
                                      "[1]",
                                      "\"a\"",
                                      "null",
                                      "{",
                                      "{\"a\"",
                                      "{\"a\":",
                                      "{\"a\":1",
                                      "{\"a\":1,",
                                      "{\"a\":\"x}",
                                      "{\"a\" 1}",
                                      "{1:2}",
                                      "{\"a\":1} x",
                                      "{\"a\":1}{\"a\":2}",
                                      "{\"a\":nope}",
                                      "{\"a\":--1}",
                                      "{\"a\":\"\xff\"}",
                                      "{\"a\":1}]",
                                      "{\"a\":tru}",
                                      "{\"a\":\"\\q\"}"}) {
    EXPECT_THAT(fields.Read(text), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(" ")))
        << text;
    EXPECT_EQ(fields.values()[0].kind, JsonValue::Kind::kAbsent) << text;
  }
  EXPECT_THAT(Found(fields, "{\"a\":1}"), ElementsAre("n1"));
}

TEST(JsonFields, ReadsBackWhateverAnotherWriterWrites) {
  std::mt19937 random(5);
  JsonFields fields({"text", "number", "whole"});
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (uint32_t size = random() % 60; size > 0; --size) {
      constexpr std::string_view kPieces[] = {
          "a", "\"", "\\", "\n",  "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
          "{", "]",  ",",  "\x01"};
      text += kPieces[random() % std::size(kPieces)];
    }
    const double number =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 80) - 40);
    const auto whole = static_cast<int64_t>(uint64_t{random()} << 32 | random());
    nlohmann::ordered_json object = {{"number", number},
                                     {"noise", {{"text", text}, {"l", {1, text}}}}};
    object["text"] = text;
    object["whole"] = whole;
    const std::string json = object.dump(random() % 2 == 0 ? -1 : 2, ' ', random() % 2 == 0);
    ASSERT_THAT(fields.Read(json), IsOk());
    ASSERT_EQ(fields.values()[0].text, text);
    ASSERT_EQ(std::stod(std::string(fields.values()[1].text)), number);
    ASSERT_EQ(fields.values()[2].text, std::to_string(whole));
  }
}

}  // namespace
}  // namespace tidemill

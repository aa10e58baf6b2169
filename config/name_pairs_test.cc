#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/testing/status_matchers.h"
#include "config/config.h"

namespace tidemill::config {
namespace {

enum class Gap { kNull, kRefuse };

struct Join {
  NamePairs on;
  Gap gap = Gap::kRefuse;

  void Fields(auto&& field) {
    field("on", on, "What is joined.", Limits{.min_items = 1, .max_items = 3});
    field("gap", gap, "What follows without a partner.");
  }
  friend bool operator==(const Join&, const Join&) = default;
};

}  // namespace
}  // namespace tidemill::config

template <>
struct tidemill::config::EnumNames<tidemill::config::Gap> {
  static constexpr std::pair<tidemill::config::Gap, std::string_view> kNames[] = {
      {tidemill::config::Gap::kNull, "null"}, {tidemill::config::Gap::kRefuse, "refuse"}};
};

namespace tidemill::config {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

using Pairs = std::vector<NamePairs::Pair>;

TEST(NamePairs, AreANameAListOrPairs) {
  EXPECT_THAT(Read<Join>("on: station", "a"), IsOkAndHolds(Join{.on = {{{"station", "station"}}}}));
  EXPECT_THAT(Read<Join>("on: [a, 7]", "a"), IsOkAndHolds(Join{.on = {{{"a", "a"}, {"7", "7"}}}}));
  EXPECT_THAT(Read<Join>("on: {sensor: station, b: b}", "a"),
              IsOkAndHolds(Join{.on = {{{"sensor", "station"}, {"b", "b"}}}}));
}

TEST(NamePairs, ThatAreNotNamesAreRefusedAtTheirPlace) {
  const std::pair<const char*, const char*> bad[] = {
      {"on: [[a]]", "a:1:6: error: on[0]: expected a text, got a list"},
      {"on: {a: [b]}", "on.a: expected a text, got a list"},
      {"on: {a: }", "on.a: has no value"},
      {"on: \"\"", "on: must not be empty"},
      {"on:", "on: expected a name, a list of names or pairs of names, got nothing"},
      {"on: []", "on: needs at least 1 entries, got 0"},
      {"on: [a, b, c, d]", "on: takes at most 3 entries, got 4"}};
  for (const auto& [text, message] : bad) {
    EXPECT_THAT(Read<Join>(text, "a"), StatusIs(kInvalid, HasSubstr(message))) << text;
  }
}

TEST(NamePairs, AreReadAsTheyWerePrinted) {
  for (const Pairs& pairs : {Pairs{{"a", "a"}}, Pairs{{"no", "no"}, {"0x1", "0x1"}},
                             Pairs{{"a b", "c: d"}, {"e", "e"}}}) {
    const Join join{.on = {pairs}, .gap = Gap::kNull};
    EXPECT_THAT(Read<Join>(Print(join), "printed"), IsOkAndHolds(join)) << Print(join);
  }
}

TEST(NamePairs, HaveASchemaForEachOfTheirForms) {
  const auto choices = Schema<Join>()["properties"]["on"]["anyOf"];
  ASSERT_EQ(choices.size(), 3U);
  EXPECT_EQ(choices[1]["type"], "array");
  EXPECT_EQ(choices[2]["type"], "object");
}

TEST(NullOfAnEnum, IsYamlsNull) {
  EXPECT_THAT(Read<Join>("on: a\ngap: null", "a"),
              IsOkAndHolds(Join{.on = {{{"a", "a"}}}, .gap = Gap::kNull}));
  EXPECT_EQ(Schema<Join>()["properties"]["gap"]["enum"],
            nlohmann::json::array({"null", "refuse", nullptr}));
}

}  // namespace
}  // namespace tidemill::config

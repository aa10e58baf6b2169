#include "transform/engine/column_rule.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::transform {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Chosen(const config::ColumnRule& rule,
                                const std::vector<std::string>& names) {
  const ChosenPlaces chosen = ChooseByRule(rule, names);
  EXPECT_THAT(chosen.problems, IsEmpty());
  std::vector<std::string> texts;
  for (const size_t place : chosen.places) texts.push_back(names[place]);
  return texts;
}

TEST(ChooseByRule, TakesColumnsInTheirOwnOrder) {
  const std::vector<std::string> names = {"hour", "s_2", "s_1", "s_10", "wind"};
  EXPECT_THAT(Chosen({.match = "s_*"}, names), ElementsAre("s_2", "s_1", "s_10"));
  EXPECT_THAT(Chosen({.match = "s_?"}, names), ElementsAre("s_2", "s_1"));
  EXPECT_THAT(Chosen({.match = "s_*", .except = {"s_1"}}, names), ElementsAre("s_2", "s_10"));
  EXPECT_THAT(Chosen({.from = "s_1"}, names), ElementsAre("s_1", "s_10", "wind"));
  EXPECT_THAT(Chosen({.to = "s_2"}, names), ElementsAre("hour", "s_2"));
  EXPECT_THAT(Chosen({.from = "s_2", .to = "s_2"}, names), ElementsAre("s_2"));
  EXPECT_THAT(Chosen({.except = {"wind", "hour"}}, names), ElementsAre("s_2", "s_1", "s_10"));
}

TEST(ChooseByRule, NamesEachMistakeAndHowToFixIt) {
  const std::vector<std::string> names = {"hour", "sensor_1", "sensor_2", "wind"};
  const struct {
    config::ColumnRule rule;
    RuleProblem problem;
  } expected[] = {
      {{.match = "senzor_*"},
       {"match", "no column matches 'senzor_*'", "columns: hour, sensor_1, sensor_2, wind"}},
      {{.from = "sensor_0"}, {"from", "there is no column 'sensor_0'", "did you mean 'sensor_1'?"}},
      {{.from = "sensor_1", .to = "windd"},
       {"to", "there is no column 'windd'", "did you mean 'wind'?"}},
      {{.from = "wind", .to = "hour"},
       {"from", "'wind' comes after 'hour'", "write {from: hour, to: wind}"}},
      {{.match = "s*", .except = {"sensor_1", "sensor_9"}},
       {"except[1]", "there is no column 'sensor_9'", "did you mean 'sensor_1'?"}},
      {{.match = "s*", .except = {"wind"}},
       {"except[0]", "'wind' is not among the columns to take", "leave it out of `except`"}},
      {{.except = {"wind", "wind"}},
       {"except[1]", "'wind' is named twice", "leave it out of `except`"}},
      {{.match = "w*", .except = {"wind"}},
       {"except", "leaves no column", "name fewer columns here"}}};
  for (const auto& [rule, problem] : expected) {
    EXPECT_THAT(ChooseByRule(rule, names).problems, ElementsAre(problem)) << problem.message;
  }
}

TEST(MatchesPattern, TakesAnyTextForAStarAndACharacterForAQuestionMark) {
  for (const auto& [pattern, name] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"*", ""},
                                                                  {"*", "a"},
                                                                  {"a*b*c", "aXbbXc"},
                                                                  {"*a", "aaa"},
                                                                  {"?", "\xC3\xA4"},
                                                                  {"t?r", "t\xC3\xBCr"},
                                                                  {"**", "ab"},
                                                                  {"a.b[*]", "a.b[2]"},
                                                                  {"*-*", "a-b-c"}}) {
    EXPECT_TRUE(MatchesPattern(pattern, name)) << pattern << " " << name;
  }
  for (const auto& [pattern, name] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"", "a"},
                                                                  {"a", ""},
                                                                  {"?", ""},
                                                                  {"?", "ab"},
                                                                  {"a*b", "abc"},
                                                                  {"A*", "ab"},
                                                                  {"??", "\xC3\xA4"}}) {
    EXPECT_FALSE(MatchesPattern(pattern, name)) << pattern << " " << name;
  }
}

TEST(MatchesPattern, TakesTimeThatIsLinearInTheNameForAStar) {
  const std::string pattern = "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b";
  EXPECT_FALSE(MatchesPattern(pattern, std::string(2000, 'a')));
  EXPECT_TRUE(MatchesPattern(pattern, std::string(2000, 'a') + "b"));
}

TEST(FirstOf, ShowsAFewOfManyNames) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g"};
  EXPECT_EQ(FirstOf(names), "a, b, c, d, e, f, ...");
  EXPECT_EQ(FirstOf(std::span(names).first(2)), "a, b");
}

}  // namespace
}  // namespace tidemill::transform

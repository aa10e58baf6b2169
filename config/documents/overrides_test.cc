#include "config/documents/overrides.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/status.h"
#include "config/config.h"
#include "config/testing/garden_spec.h"

namespace tidemill::config {
namespace {

using ::testing::AllOf;
using testing::Drip;
using testing::Garden;
using ::testing::HasSubstr;
using testing::Sprinkler;

constexpr std::string_view kText = R"(name: Eden
steps: [1, 20]
gate: {code: hunter2, opens: 7}
watering: sprinkler
schedule:
  - rain
  - drip: {holes: 2}
beds:
  a.b: {plant: fern}
)";

Decoded<Garden> DecodeWith(std::vector<Override> overrides, std::string_view text = kText) {
  return Decode<Garden>({.text = text,
                         .name = "g.yaml",
                         .variables = {{"DATA", "moss"}},
                         .overrides = std::move(overrides)});
}

Garden GardenWith(std::vector<Override> overrides) {
  auto decoded = DecodeWith(std::move(overrides));
  EXPECT_EQ(decoded.problems.ToString(), "");
  return std::move(decoded.value);
}

std::string ProblemsWith(std::vector<Override> overrides) {
  return DecodeWith(std::move(overrides)).problems.ToString();
}

TEST(Overrides, ReplaceAValueAndLeaveTheOthers) {
  const Garden garden = GardenWith({{"name", "Kew"}, {"gate.opens", "8"}});
  EXPECT_EQ(garden.name, "Kew");
  EXPECT_EQ(garden.gate.opens, 8);
  EXPECT_EQ(garden.gate.code, "hunter2");
  EXPECT_EQ(garden.steps, (std::vector<int>{1, 20}));
}

TEST(Overrides, AreReadAsYamlWithVariables) {
  const Garden garden = GardenWith(
      {{"steps", "[3, 4, 5]"}, {"beds.new", "{plant: \"${DATA}\", seeds: 7}"}, {"motto", "null"}});
  EXPECT_EQ(garden.steps, (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(garden.beds.at("new").plant, "moss");
  EXPECT_EQ(garden.beds.at("new").seeds, Count{7});
  EXPECT_EQ(garden.motto, std::nullopt);
}

TEST(Overrides, ReachElementsOfListsAndKeysWithDots) {
  const Garden garden =
      GardenWith({{"steps.1", "21"}, {"schedule[1].drip.holes", "9"}, {"beds.a.b.plant", "ivy"}});
  EXPECT_EQ(garden.steps, (std::vector<int>{1, 21}));
  EXPECT_EQ(std::get<Drip>(garden.schedule[1].value).holes, 9);
  EXPECT_EQ(garden.beds.at("a.b").plant, "ivy");
}

TEST(Overrides, AddSectionsThatAreMissing) {
  const Garden garden = GardenWith({{"beds.late.plant", "aster"}, {"area", "3"}});
  EXPECT_EQ(garden.beds.at("late").plant, "aster");
  EXPECT_EQ(garden.area, 3);
  EXPECT_EQ(DecodeWith({{"gate.opens", "8"}}, "name: Eden").value.gate.opens, 8);
}

TEST(Overrides, ReachTheSettingsOfAPartThatIsOnlyNamed) {
  const Garden garden = GardenWith({{"watering.every", "2h"}, {"schedule.0.rain", "{}"}});
  EXPECT_EQ(std::get<Sprinkler>(garden.watering).every, Duration{7'200'000'000});
  const Garden other =
      DecodeWith({{"schedule.0.sprinkler.every", "2h"}}, "name: Eden\nschedule: [sprinkler]\n")
          .value;
  EXPECT_EQ(std::get<Sprinkler>(other.schedule[0].value).every, Duration{7'200'000'000});
}

TEST(Overrides, OfAnAliasChangeOnlyThePlaceThatIsNamed) {
  const Garden garden =
      DecodeWith({{"beds.b.plant", "ivy"}}, "name: E\nbeds: {a: &one {plant: fern}, b: *one}")
          .value;
  EXPECT_EQ(garden.beds.at("a").plant, "fern");
  EXPECT_EQ(garden.beds.at("b").plant, "ivy");
}

TEST(Overrides, HaveTheWordsOfTheReaderAndNameTheirPlace) {
  EXPECT_EQ(ProblemsWith({{"gate.opens", "25"}}),
            R"(--set gate.opens: error: gate.opens: 25 is above 24
      | --set gate.opens=25
      |                  ^^)");
  EXPECT_EQ(ProblemsWith({{"gate.open", "8"}}),
            R"(--set gate.open: error: unknown key 'open' in gate
      | --set gate.open=8
      |            ^^^^ did you mean 'opens'?
   note: keys allowed here: code, opens, closes)");
  EXPECT_THAT(ProblemsWith({{"gate.opens", "early"}}),
              HasSubstr("--set gate.opens: error: gate.opens: expected a whole number"));
  EXPECT_THAT(
      ProblemsWith({{"visitors.x", "1"}}),
      HasSubstr("--set visitors.x: error: visitors: expected a whole number, got a section"));
  EXPECT_THAT(ProblemsWith({{"steps", "[1"}}), HasSubstr("this '[' is not closed"));
}

TEST(Overrides, ThatContradictTheTextLeadToTheTextOrToWhatWasSet) {
  EXPECT_THAT(ProblemsWith({{"watering.type", "drip"}, {"gate.opens", "21"}}),
              AllOf(HasSubstr("--set watering.type: error: missing required key 'holes'"),
                    HasSubstr("g.yaml:3:1: error: gate.closes: must be after opens")));
}

TEST(Overrides, HaveNoLineInJson) {
  const auto json = DecodeWith({{"visitors", "-1"}, {"soil", "mud"}}).problems.ToJson();
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["file"], "--set visitors");
  EXPECT_EQ(json[0]["line"], 0);
  EXPECT_EQ(json[1]["path"], "soil");
}

TEST(Overrides, HaveTheirPlaceInTheFindingsOfAStatus) {
  const absl::Status status = Annotate(
      DecodeWith({{"visitors", "-1"}, {"gate.opens", "21"}}).problems.ToStatus(), "reading");
  const std::vector<Problem> findings = FindingsOf(status);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].Place(), "g.yaml:3:1");
  EXPECT_EQ(findings[0].message, "gate.closes: must be after opens");
  EXPECT_EQ(findings[0].hint, "keep it open for an hour");
  EXPECT_EQ(findings[1].Place(), "--set visitors");
}

TEST(Findings, NameTheFileOfAFailure) {
  const absl::Status status = InFile(NotFound("p.yaml does not exist"), "p.yaml");
  EXPECT_EQ(status.message(), "p.yaml does not exist");
  ASSERT_EQ(FindingsOf(status).size(), 1u);
  EXPECT_EQ(FindingsOf(status)[0].Place(), "p.yaml");
  EXPECT_TRUE(FindingsOf(InFile(absl::OkStatus(), "p.yaml")).empty());
}

TEST(Findings, OfAnotherProcessAreOnlyReadWhereTheyAreAsExpected) {
  for (const char* payload : {"", "no JSON", "{}", "7", "[7, []]"}) {
    absl::Status status = NotFound("gone");
    status.SetPayload(kFindings, absl::Cord(payload));
    EXPECT_TRUE(FindingsOf(status).empty()) << payload;
  }
  absl::Status status = NotFound("gone");
  status.SetPayload(kFindings, absl::Cord(R"([{"line": "x", "message": "m"}])"));
  ASSERT_EQ(FindingsOf(status).size(), 1u);
  EXPECT_EQ(FindingsOf(status)[0].position.line, 0);
  EXPECT_EQ(FindingsOf(status)[0].message, "m");
}

TEST(Overrides, OfASecretDoNotShowIt) {
  EXPECT_THAT(ProblemsWith({{"gate.code", "[s3cret]"}}),
              AllOf(HasSubstr("--set gate.code"), ::testing::Not(HasSubstr("s3cret"))));
}

TEST(Overrides, ThatCannotHaveAnEffectAreRefused) {
  EXPECT_THAT(ProblemsWith({{"steps.2", "1"}}),
              AllOf(HasSubstr("'steps' is a list, which has no element '2'"),
                    HasSubstr("its elements are 0 to 1")));
  EXPECT_THAT(ProblemsWith({{"schedule[7].drip", "1"}}), HasSubstr("no element '[7]'"));
  EXPECT_THAT(ProblemsWith({{"gate[0]", "1"}}), HasSubstr("there is no list at 'gate'"));
  EXPECT_THAT(ProblemsWith({{"name", "a"}, {"name", "b"}}), HasSubstr("'name' is set twice"));
  EXPECT_THAT(ProblemsWith({{"x-note", "a"}}), HasSubstr("has no effect"));
  for (const char* path : {"", ".name", "gate.", "gate..opens"}) {
    EXPECT_THAT(ProblemsWith({{path, "1"}}), HasSubstr("is not the path of a key")) << path;
  }
}

TEST(Overrides, AreLimitedWithTheDocument) {
  const auto problems = [](std::vector<Override> overrides) {
    return Decode<Garden>({.text = "name: E", .max_bytes = 20, .overrides = std::move(overrides)})
        .problems.ToString();
  };
  EXPECT_EQ(problems({{"area", "3"}}), "");
  EXPECT_THAT(problems({{"motto", "a long motto"}}), HasSubstr("more than 20 bytes"));
  EXPECT_THAT(ProblemsWith(std::vector<Override>(1'001, {"area", "3"})),
              HasSubstr("1001 values are set"));
}

TEST(FindValue, ReturnsTheValueThatWouldBeReplaced) {
  const auto find = [](std::string_view path) { return FindValue({.text = kText}, path); };
  EXPECT_EQ(find("gate.opens"), "7");
  EXPECT_EQ(find("gate"), "{code: hunter2, opens: 7}");
  EXPECT_EQ(find("steps.1"), "20");
  EXPECT_EQ(find("steps"), "[1, 20]");
  EXPECT_EQ(find("beds.a.b.plant"), "fern");
  EXPECT_EQ(find("area"), std::nullopt);
  EXPECT_EQ(find("steps.2"), std::nullopt);
  const std::string longer = "motto: \"" + std::string(300, 'x') + "\"";
  EXPECT_EQ(FindValue({.text = longer}, "motto")->size(), 103u);
}

}  // namespace
}  // namespace tidemill::config

#include "config/config.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/testing/status_matchers.h"
#include "config/testing/garden_spec.h"

namespace tidemill::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;
using namespace ::tidemill::config::testing;  // NOLINT: the fixtures of this room.

Decoded<Garden> DecodeGarden(std::string_view text) {
  return Decode<Garden>({.text = text, .name = "g.yaml", .variables = {{"PLANT", "no"}}});
}

std::string MessagesOf(std::string_view text) { return DecodeGarden(text).problems.ToString(); }

TEST(Config, ReadsEveryKindOfField) {
  const auto decoded = DecodeGarden(kGardenText);
  ASSERT_EQ(decoded.problems.ToString(), "");
  const Garden& garden = decoded.value;
  EXPECT_EQ(garden.name, "Eden");
  EXPECT_FALSE(garden.open);
  EXPECT_EQ(garden.visitors, 1'200'000);
  EXPECT_EQ(garden.slope, 0.25f);
  EXPECT_EQ(garden.area, 1000.0);
  EXPECT_EQ(garden.founded.micros, 1'769'846'400'000'000);
  EXPECT_EQ(garden.film.bytes, 3LL << 29);
  EXPECT_EQ(garden.soil, Soil::kClay);
  EXPECT_EQ(garden.motto, "no: 012");
  EXPECT_THAT(garden.steps, ElementsAre(1, 20, 300));
  EXPECT_THAT(garden.paths, ElementsAre("long walk", "1.10"));
  EXPECT_THAT(garden.tools.names, ElementsAre("spade", "rake"));
  EXPECT_EQ(garden.gate, (Gate{.code = "hunter2", .opens = 7, .closes = 9}));
  EXPECT_EQ(garden.watering, Watering(Drip{.holes = 12, .pressure = std::nullopt}));
  ASSERT_THAT(garden.schedule, SizeIs(3));
  EXPECT_EQ(garden.schedule[0].value, Watering(Sprinkler{.every = {90'000'000}}));
  EXPECT_EQ(garden.schedule[1].value, Watering(Rain{}));
  EXPECT_EQ(garden.schedule[2].value, Watering(Drip{.holes = 2, .pressure = 0.5}));
  ASSERT_THAT(garden.beds, SizeIs(2));
  EXPECT_EQ(garden.beds.at("north").seeds.value, 2000);
  EXPECT_EQ(garden.beds.at("north").beds[0].plant, "no fern");
  EXPECT_EQ(garden.beds.at("north").beds[1].plant, "moss");
  EXPECT_EQ(garden.beds.at("on"), Bed{});
}

TEST(Config, KeepsDefaultsForAbsentKeys) {
  const auto garden = Read<Garden>("name: Eden", "g.yaml");
  ASSERT_THAT(garden, IsOk());
  Garden expected;
  expected.name = "Eden";
  EXPECT_EQ(*garden, expected);
}

TEST(Config, ReadsAnEmptyDocumentAsAnEmptySection) {
  EXPECT_THAT(Read<Gate>("", "g"), IsOk());
  EXPECT_THAT(Read<Gate>("# nothing\n", "g"), IsOk());
  EXPECT_THAT(MessagesOf(""), HasSubstr("missing required key 'name' at the top level"));
}

TEST(Config, ReadsListsAndVariantsAsDocuments) {
  const auto list = Read<std::vector<Keyed<Watering>>>("- rain\n- sprinkler:\n", "s");
  ASSERT_THAT(list, IsOk());
  EXPECT_EQ((*list)[1].value, Watering(Sprinkler{}));
  const auto variant = Read<Watering>("{type: drip, holes: 3}", "s");
  ASSERT_THAT(variant, IsOk());
  EXPECT_EQ(std::get<Drip>(*variant).holes, 3);
}

TEST(Config, UnderlinesAnUnknownKeyAndSuggestsTheRightOne) {
  EXPECT_EQ(MessagesOf("name: Eden\nwatering:\n  type: drip\n  hole: 3\n"),
            "g.yaml:4:3: error: unknown key 'hole' in watering (type: drip)\n"
            "    4 |   hole: 3\n"
            "      |   ^^^^ did you mean 'holes'?\n"
            "   note: keys allowed here: type, holes, pressure");
}

struct Mistake {
  const char* text;  // Behind "name: Eden\n", so its first line is line 2.
  Position position;
  const char* message;
  const char* hint;
};

constexpr Mistake kMistakes[] = {
    {"nmae2: 1", {2, 1}, "unknown key 'nmae2' at the top level", "did you mean 'name'?"},
    {"code: 5", {2, 1}, "unknown key 'code' at the top level", "it belongs in 'gate'"},
    {"zzzzzzzz: 5", {2, 1}, "unknown key 'zzzzzzzz'", ""},
    {"open: yes", {2, 7}, "open: expected true or false, got 'yes'", "write true"},
    {"open: \"true\"", {2, 7}, "expected true or false, got \"true\"", "remove the quotes"},
    {"visitors: many", {2, 11}, "visitors: expected a whole number, got 'many'", ""},
    {"visitors: 012", {2, 11}, "expected a whole number, got '012'", "remove the leading zero"},
    {"visitors: '5'", {2, 11}, "expected a whole number", "remove the quotes"},
    {"visitors: 1.5", {2, 11}, "expected a whole number, got '1.5'", ""},
    {"visitors: 1e40", {2, 11}, "expected a whole number", ""},
    {"visitors: 1:30", {2, 11}, "expected a whole number", ""},
    {"visitors: -1", {2, 11}, "visitors: -1 is below 0", ""},
    {"visitors:", {2, 1}, "visitors: has no value", "remove the key to get the default"},
    {"visitors: [1]", {2, 1}, "visitors: expected a whole number, got a list", ""},
    {"slope: 2.5", {2, 8}, "slope: 2.5 is above 2", ""},
    {"slope: .nan", {2, 8}, "slope: .nan is above 2", ""},
    {"area: 1,5", {2, 7}, "area: expected a number, got '1,5'", ""},
    {"founded: soon", {2, 10}, "expected a time such as 2026-01-31T08:00:00Z", ""},
    {"film: 64", {2, 7}, "expected a size such as 64MiB", ""},
    {"film: 12B", {2, 7}, "film: 12B is below 1KiB", ""},
    {"soil: cley", {2, 7}, "soil: unknown value 'cley'", "did you mean 'clay'?"},
    {"motto: no", {2, 8}, "'no' can be read as something other than a text", "quote it: \"no\""},
    {"motto: 1.10", {2, 8}, "can be read as something other", "quote it: \"1.10\""},
    {"steps: 3", {2, 8}, "steps: expected a list, got '3'", "write [3]"},
    {"steps: all",
     {2, 8},
     "steps: expected a list, got 'all'",
     "write out the list; `all` is not understood here"},
    {"steps: [1, 0]", {2, 12}, "steps[1]: 0 is below 1", ""},
    {"steps: [1, 3e9]", {2, 12}, "steps[1]: 3e9 is out of range", "-2147483648 to 2147483647"},
    {"steps: [1, 1, 1, 1, 1]", {2, 1}, "steps: takes at most 4 entries, got 5", ""},
    {"tools: spade", {2, 8}, "tools: expected 'all' or a list of names", "write [spade]"},
    {"tools: ALL", {2, 8}, "tools: expected 'all' or a list of names", "write all"},
    {"tools: \"*\"", {2, 8}, "tools: expected 'all' or a list of names", "write all"},
    {"gate: [7]", {2, 1}, "gate: expected a section with keys, got a list", ""},
    {"watering: {holes: 1}", {2, 1}, "missing required key 'type' in watering", "add 'type'"},
    {"watering: {tpye: rain}", {2, 1}, "missing required key 'type'", "did you mean 'type'?"},
    {"watering: {type: drop}", {2, 18}, "unknown type 'drop' for watering", "did you mean 'drip'?"},
    {"watering: dirp", {2, 11}, "unknown type 'dirp' for watering", "did you mean 'drip'?"},
    {"watering: drip",
     {2, 11},
     "missing required key 'holes' in watering (type: drip)",
     "add 'holes', such as 'holes: 20'"},
    {"watering: {type: rain, every: 5s}",
     {2, 24},
     "unknown key 'every' in watering (type: rain)",
     "it is a key of type: sprinkler"},
    {"watering: {type: sprinkler, every: 5s}", {2, 36}, "watering.every: 5s is below 1m", ""},
    {"watering: {type: sprinkler, every: 5}", {2, 36}, "expected a duration such as 90s", ""},
    {"schedule: [drip]",
     {2, 12},
     "missing required key 'holes' in schedule[0].drip",
     "add 'holes', such as 'holes: 20'"},
    {"schedule: [rian]", {2, 12}, "unknown name 'rian' in schedule[0]", "did you mean 'rain'?"},
    {"schedule:\n  - drip:\n    holes: 3",
     {3, 5},
     "expected one name, got 2 keys",
     "put the keys below the name and indent them"},
    {"schedule:\n  - {type: drip, holes: 3}",
     {3, 5},
     "schedule[0]: expected one name, got 2 keys",
     "write drip: {...}"},
    {"beds: [rose]", {2, 1}, "beds: expected a section of named entries, got a list", ""},
    {"beds: {no: {}}",
     {2, 8},
     "the name 'no' can be read as something other than a text",
     "quote it: \"no\""},
    {"beds: {a: {beds: [{plant: ''}]}}", {2, 27}, "beds.a.beds[0].plant: must not be empty", ""},
    {"gate: {closes: 3}", {2, 16}, "gate.closes: must be after opens", "keep it open for an hour"},
};

TEST(Config, PointsAtEveryMistakeAndSaysHowToFixIt) {
  for (const Mistake& mistake : kMistakes) {
    SCOPED_TRACE(mistake.text);
    const Problems problems = DecodeGarden(std::string("name: Eden\n") + mistake.text).problems;
    ASSERT_THAT(problems.items(), SizeIs(1)) << problems.ToString();
    EXPECT_EQ(problems.items()[0].position, mistake.position) << problems.ToString();
    EXPECT_THAT(problems.items()[0].message, HasSubstr(mistake.message));
    EXPECT_EQ(problems.items()[0].hint, mistake.hint);
  }
}

TEST(Config, ReportsAllProblemsInTheOrderOfTheDocument) {
  const auto status = Read<Garden>("visitors: -1\nfoo: 1\nopen: maybe\n", "g.yaml").status();
  const std::string message(status.message());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_LT(message.find("missing required key 'name'"), message.find("visitors: -1"));
  EXPECT_LT(message.find("visitors: -1 is below 0"), message.find("unknown key 'foo'"));
  EXPECT_LT(message.find("unknown key 'foo'"), message.find("open: expected true or false"));
  EXPECT_NE(message.find("open: expected true or false"), std::string::npos);
}

TEST(Config, ShowsAtMostTwentyProblems) {
  std::string text = "name: Eden\n";
  for (int i = 0; i < 33; ++i) text += "q" + std::to_string(i) + ": 1\n";
  EXPECT_THAT(MessagesOf(text), AllOf(HasSubstr("'q19'"), Not(HasSubstr("'q20'")),
                                      HasSubstr("... and 13 more problems")));
}

TEST(Config, DoesNotAskForAKeyThatIsOnlyMisspelled) {
  EXPECT_THAT(DecodeGarden("nam: Eden").problems.items(), SizeIs(1));
}

TEST(Config, DoesNotCheckAStructWithProblems) {
  const auto problems = DecodeGarden("name: Eden\ngate: {opens: x, closes: 3}").problems;
  EXPECT_THAT(problems.items(), SizeIs(1));
}

TEST(Config, RefusesFreeKeysBelowTheTop) {
  EXPECT_THAT(MessagesOf("name: Eden\ngate: {x-note: 1}"), HasSubstr("unknown key 'x-note'"));
}

TEST(Config, NeverShowsSecrets) {
  for (const char* gate : {"{code: [hunter2]}", "{code: hunter2, opens: 99}", "{cod: hunter2}",
                           "{code: hunter2, foo: 1}", "{code: 012hunter2, open: 1}"}) {
    const std::string messages = MessagesOf(std::string("name: Eden\ngate: ") + gate);
    EXPECT_THAT(messages, AllOf(HasSubstr("g.yaml:2:"), Not(HasSubstr("hunter2")))) << gate;
  }
}

TEST(Config, LaterPassesAddProblemsAtPaths) {
  auto decoded = DecodeGarden(
      "name: Eden\nbeds: {a.b: {plant: rose, beds: [{}, {seeds: 3}]}}\n"
      "watering: rain\n");
  ASSERT_THAT(decoded.problems.items(), IsEmpty());
  decoded.problems.Add("beds.a.b.beds[1].seeds", "seed 'x' is not registered", "register it");
  decoded.problems.Add("watering.every", "is absent here");
  decoded.problems.Add("", "is of no use");
  const auto& items = decoded.problems.items();
  EXPECT_EQ(items[0].position, (Position{2, 46}));
  EXPECT_EQ(items[1].position, (Position{3, 11}));
  EXPECT_EQ(items[2].position, (Position{1, 1}));
  const auto json = decoded.problems.ToJson();
  EXPECT_EQ(json[1]["message"], "beds.a.b.beds[1].seeds: seed 'x' is not registered");
  EXPECT_EQ(json[1]["path"], "beds.a.b.beds[1].seeds");
  EXPECT_EQ(json[1]["file"], "g.yaml");
  EXPECT_EQ(json[1]["line"], 2);
  EXPECT_EQ(json[1]["column"], 46);
  EXPECT_EQ(json[1]["hint"], "register it");
}

TEST(Config, ProblemsNeedNoDocument) {
  Problems problems;
  problems.Add("gate", "is shut", "open it");
  EXPECT_EQ(problems.ToString(), "error: gate: is shut\n   hint: open it");
}

TEST(Config, ReadsOneSectionOfADocument) {
  const char* text = "gate: {opens: 8}\nother: [1, 2]\n";
  const auto gate = ReadSection<Gate>(text, "c.yaml", "gate");
  ASSERT_THAT(gate, IsOk());
  EXPECT_EQ(gate->opens, 8);
  const auto absent = ReadSection<Gate>(text, "c.yaml", "fence");
  ASSERT_THAT(absent, IsOk());
  EXPECT_EQ(*absent, Gate{});
  EXPECT_THAT(ReadSection<Gate>("gate: {opens: 88}", "c.yaml", "gate"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("c.yaml:1:15: error: gate.opens: 88 is above 24")));
  EXPECT_THAT(ReadSection<Gate>("gaet: {opens: 8}", "c.yaml", "gate"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("did you mean 'gate'?")));
  EXPECT_THAT(ReadSection<Garden>("", "c.yaml", "garden"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("missing required key 'name' in garden")));
}

TEST(Counts, AreWholeNumbersInAnyNotation) {
  EXPECT_EQ(*ParseCount("1_000"), 1000);
  EXPECT_EQ(*ParseCount("1e6"), 1'000'000);
  EXPECT_EQ(*ParseCount("1.5M"), 1'500'000);
  EXPECT_EQ(*ParseCount("-2k"), -2000);
  EXPECT_EQ(*ParseCount("100e-2"), 1);
  EXPECT_EQ(*ParseCount("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(*ParseCount("-9223372036854775808"), INT64_MIN);
  for (const char* bad : {"", "-", "1.5", "1e-1", "9223372036854775808", "1e19", "0x10", "012",
                          "_1", "1_", "1__0", "1.", ".5", "1m", "1 M", "1e", "1e6e6", "--1"}) {
    EXPECT_FALSE(ParseCount(bad).ok()) << bad;
  }
}

TEST(ByteSizes, NeedAUnit) {
  EXPECT_EQ(ParseByteSize("64MiB")->bytes, 64 << 20);
  EXPECT_EQ(ParseByteSize("1.5kB")->bytes, 1500);
  EXPECT_EQ(ParseByteSize("0B")->bytes, 0);
  for (const char* bad : {"64", "64 MiB", "64mb", "0.3B", "9EiB", "8388608TiB", "MiB"}) {
    EXPECT_FALSE(ParseByteSize(bad).ok()) << bad;
  }
  for (const int64_t bytes : {0LL, 1LL, 1000LL, 1024LL, 1536LL, 64LL << 20, (1LL << 40) + 1}) {
    EXPECT_EQ(ParseByteSize(FormatByteSize({bytes}))->bytes, bytes);
  }
}

TEST(ClosestTo, AllowsTwoEditsOrAThirdOfTheWord) {
  EXPECT_EQ(ClosestTo("optimzier", {"epochs", "optimizer"}), "optimizer");
  EXPECT_EQ(ClosestTo("LR", {"lr"}), "lr");
  EXPECT_EQ(ClosestTo("batch_sz_train", {"batch_size_train"}), "batch_size_train");
  EXPECT_EQ(ClosestTo("xy", {"lr"}), std::nullopt);
  EXPECT_EQ(ClosestTo("momentum", {"epochs"}), std::nullopt);
  EXPECT_EQ(ClosestTo("a", {}), std::nullopt);
}

}  // namespace
}  // namespace tidemill::config

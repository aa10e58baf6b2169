// The protocol, spoken with the built program.
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/testing/tree.h"
#include "plugin/host/testing/owner.h"
#include "plugin/host/testing/requests.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Owner;
using testing::WhatOf;

json Settings(json settings) {
  settings["every"] = 250;
  return settings;
}

TEST(PluginHost, SaysHelloWithWhatItRunsIn) {
  Owner plain({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_test_plugins.so")});
  EXPECT_EQ(plain.hello()["hello"], 1);
  EXPECT_EQ(plain.hello()["language"], "c++");
  EXPECT_EQ(plain.hello()["sandbox"], "plain");
  EXPECT_TRUE(plain.hello()["versions"].contains("tidemill"));
  EXPECT_EQ(plain.Printed(), "");
}

TEST(PluginHost, DescribesThePluginThatItLoads) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_test_plugins.so")});
  const json plugin = Load(owner, "Surprise")["plugin"];
  EXPECT_EQ(plugin["kind"], "trigger");
  EXPECT_EQ(plugin["version"], "1.2");
  EXPECT_EQ(plugin["doc"], "Fires when mistakes come as a surprise.");
  const json expected = R"([
      {"name": "threshold", "type": "number", "default": 0.2, "min": 0.0, "max": 1.0,
       "doc": "Share at which it fires."},
      {"name": "every", "type": "integer", "min": 1.0, "doc": "Samples between decisions."},
      {"name": "mode", "type": "text", "default": "mean", "choices": ["mean", "max"], "doc": "How."},
      {"name": "weights", "type": "numbers", "default": [1, 2.5], "doc": "Of what."},
      {"name": "names", "type": "texts", "default": ["a \"b\""], "doc": "Of whom."},
      {"name": "is_loud", "type": "boolean", "default": false, "doc": "Whether it prints."}])"_json;
  EXPECT_EQ(plugin["settings"], expected);
}

TEST(PluginHost, NamesThePluginsOfTheFileWhenItHasNoSuchOne) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_test_plugins.so")});
  EXPECT_THAT(WhatOf(Load(owner, "Surprize")),
              AllOf(HasSubstr("test.so has no plug-in Surprize"), HasSubstr("Surprise, Cost")));
  EXPECT_EQ(WhatOf(Load(owner, "Cost")), "Cost: it is a measure, but a trigger is needed");
  EXPECT_EQ(WhatOf(owner.Call({{"call", "create"}, {"settings", json::object()}, {"seed", 1}})),
            "no plug-in is loaded");
}

TEST(PluginHost, ListsAllPluginsOfTheFileAndSaysWhichCannotRun) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_older_plugins.so")});
  const json plugins = owner.Call({{"call", "list"}, {"file", "test.so"}})["plugins"];
  std::map<std::string, std::string> problems;
  for (const json& plugin : plugins) problems[plugin["name"]] = plugin.value("problem", "");
  EXPECT_EQ(problems["Older"], "");
  EXPECT_THAT(problems["TooShort"], HasSubstr("it needs the functions points"));
  EXPECT_THAT(problems["Later"], HasSubstr("compiled for version 99"));
  EXPECT_EQ(Load(owner, "Older")["plugin"]["name"], "Older");
}

TEST(PluginHost, AFileThatIsNotASharedObjectIsAFault) {
  Owner owner({.file = "/proc/self/maps"});
  EXPECT_THAT(WhatOf(Load(owner, "Surprise")), HasSubstr("cannot load test.so"));
}

TEST(PluginHost, RefusesSettingsThatThePluginDoesNotTake) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_test_plugins.so")});
  Load(owner, "Surprise");
  const auto what_of = [&](const json& settings) { return WhatOf(Create(owner, settings)); };
  EXPECT_EQ(what_of(json::object()), "the setting every is required");
  EXPECT_EQ(what_of(Settings({{"thresold", 1}})), "it has no setting thresold");
  EXPECT_EQ(what_of(Settings({{"threshold", 3}})), "the setting threshold: 3 is above 1");
  EXPECT_EQ(what_of({{"every", 2.5}}), "the setting every: 2.5 is not a whole number");
  EXPECT_EQ(what_of(Settings({{"mode", "min"}})), "the setting mode: \"min\" is none of mean, max");
  EXPECT_EQ(what_of(Settings({{"weights", {1, "x"}}})),
            "the setting weights: \"x\" is not a number");
}

TEST(PluginHost, ATriggerSaysWhereItDecidesAndWhatItLooksAt) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_test_plugins.so")});
  Load(owner, "Surprise");
  const json created = Create(owner, Settings({}));
  EXPECT_EQ(created["points"], json({{"samples", 250}}));
  ASSERT_EQ(created["looks_at"].size(), 3);
  EXPECT_EQ(created["looks_at"][0], R"({"name": "errors", "kind": "errors", "since": "decision",
                                        "newest": 500, "most_rows": 0, "columns": []})"_json);
  EXPECT_EQ(created["looks_at"][1]["since"], "beginning");
  EXPECT_EQ(created["looks_at"][2]["columns"], json({"bid", "ask"}));
}

TEST(PluginHost, ATriggerObservesJudgesAndContinuesFromItsState) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_test_plugins.so")});
  Load(owner, "Surprise");
  Create(owner, Settings({}), /*seed=*/7);
  const json first = owner.Call(Observe(owner));
  EXPECT_EQ(first["observed"], R"({"share": 0.6666666666666666, "widest": 4.0, "last key": 9.0,
      "trained": 77.0, "cost": 0.5, "no_model": 1.0, "missing": 4.0, "seed": 7.0})"_json);
  const json verdict = owner.Call({{"call", "judge"}, {"observed", first["observed"]}});
  EXPECT_EQ(verdict["fired"], true);
  EXPECT_EQ(verdict["because"], "the share is 0.666667");
  EXPECT_EQ(verdict["comparison"]["quantity"], "share");
  EXPECT_EQ(owner.Call({{"call", "seal"}})["state"], first["state"]);
  const json second = owner.Call(Observe(owner));
  Create(owner, Settings({}), /*seed=*/7);
  EXPECT_EQ(owner.Call({{"call", "restore"}, {"state", first["state"]}})["ok"], true);
  EXPECT_EQ(owner.Call(Observe(owner))["state"], second["state"]);
}

TEST(PluginHost, AMeasureTellsWhatSamplesContributeAndCombinesSums) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_test_plugins.so")});
  Load(owner, "Cost", "measure");
  const json created = Create(owner, {{"per_class", 2}});
  EXPECT_EQ(created, R"({"ok": true, "needs": "predictions", "of": "classes", "value": "combined",
                         "unit": "EUR", "higher_is_better": false})"_json);
  testing::Write<int64_t>(owner, 0, {0, 1, 2});
  testing::Write<int64_t>(owner, 64, {2, 1, 1});
  const json block = {
      {"call", "measure"},
      {"rows", 3},
      {"columns",
       {{{"name", "label"}, {"type", "int64"}, {"shape", json::array()}, {"at", 0}},
        {{"name", "prediction"}, {"type", "int64"}, {"shape", json::array()}, {"at", 64}}}}};
  const json answer = owner.Call(block);
  EXPECT_EQ(answer["rows"], 3);
  EXPECT_EQ(answer["columns"][0]["name"], "contributions");
  EXPECT_EQ(answer["columns"][0]["shape"], json({2}));
  EXPECT_THAT(testing::Answered<double>(owner, answer["columns"][0]["at"], 6),
              ElementsAre(4, 1, 0, 1, 2, 1));
  testing::Write<double>(owner, 0, {6, 4, 0, 0});
  const json sums = {
      {"call", "combine"},
      {"rows", 2},
      {"columns", {{{"name", "sums"}, {"type", "float64"}, {"shape", {2}}, {"at", 0}}}}};
  const json combined = owner.Call(sums);
  EXPECT_EQ(combined["columns"][0]["name"], "value");
  EXPECT_THAT(testing::Answered<double>(owner, combined["columns"][0]["at"], 2),
              ElementsAre(1.5, ::testing::IsNan()));
  json wrong = block;
  wrong["columns"][0]["type"] = "float64";
  EXPECT_THAT(WhatOf(owner.Call(wrong)), HasSubstr("the column label has the type g of Arrow"));
  json outside = block;
  outside["columns"][0]["at"] = 1 << 20;
  EXPECT_THAT(WhatOf(owner.Call(outside)), HasSubstr("are not within the memory"));
  EXPECT_THAT(WhatOf(owner.Call({{"call", "combine"}, {"rows", 0}, {"columns", json::array()}})),
              HasSubstr("has no sums of 2 numbers"));
}

TEST(PluginHost, AMeasureThatIsAMeanCombinesNothing) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_test_plugins.so")});
  Load(owner, "FirstProbability", "measure");
  EXPECT_EQ(Create(owner, json::object())["value"], "mean");
  EXPECT_THAT(WhatOf(owner.Call({{"call", "combine"}})), HasSubstr("has no call combine"));
}

TEST(PluginHost, PluginsOfAnEarlierHeaderStillRun) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_older_plugins.so")});
  EXPECT_EQ(Load(owner, "Older")["plugin"]["settings"].size(), 2);
  EXPECT_EQ(Create(owner, json::object())["points"], json({{"seconds", 60.0}}));
  json moment = Observe(owner);
  EXPECT_EQ(owner.Call(moment)["observed"], json({{"first", 6.0}}));
  EXPECT_EQ(owner.Call({{"call", "judge"}, {"observed", {{"first", 6}}}})["fired"], true);
  EXPECT_EQ(owner.Call({{"call", "seal"}})["state"], "");
}

TEST(PluginHost, PluginsThatLackSomethingAreFaults) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_older_plugins.so")});
  EXPECT_EQ(WhatOf(Load(owner, "TooShort")),
            "TooShort: it needs the functions points, observe and judge");
  EXPECT_THAT(WhatOf(Load(owner, "Later")), HasSubstr("compiled for version 99"));
  EXPECT_THAT(WhatOf(Load(owner, "Lacking")), HasSubstr("the functions of its kind"));
  Load(owner, "Silent");
  Create(owner, json::object());
  EXPECT_EQ(WhatOf(owner.Call({{"call", "judge"}, {"observed", json::object()}})),
            "judge failed and gave no reason");
}

}  // namespace
}  // namespace tidemill::plugin::host

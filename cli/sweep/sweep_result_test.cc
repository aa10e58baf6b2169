#include "cli/sweep/sweep_result.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kSucceeded = supervisor::v1::RUN_STATE_SUCCEEDED;

// A sweep over four values of a key, in which each setting has a run with its value at rung 1.
SweepResult FourSettings(const std::vector<int64_t>& seeds = {}) {
  SweepResult result{.name = "weather-1",
                     .pipeline = "weather",
                     .plan = *SweepPlan::Make(*AxesOf({"training.epochs=1,2,3,4"}), seeds)};
  result.settings.resize(4);
  int64_t id = 0;
  for (size_t seed = 0; seed < result.plan.num_seeds(); ++seed) {
    for (size_t i = 0; i < 4; ++i) {
      SweepRun run{.place = result.plan.PlaceOf(i, seed), .id = ++id, .state = kSucceeded};
      run.training_seconds = 2;
      run.value = SweepValue{.dataset = "d", .measure = "accuracy"};
      run.value->value = 0.1 * static_cast<double>(i + 1) + 0.2 * static_cast<double>(seed);
      run.value->interval = std::pair(run.value->value - 0.05, run.value->value + 0.05);
      run.value->baseline = 0.15;
      run.value->baseline_name = "constant";
      result.settings[i].runs.push_back(run);
      result.settings[i].fate = Fate::kDone;
    }
  }
  return result;
}

TEST(SweepResult, NamesTheBestOfTheSettingsWithTheWholeEffort) {
  SweepResult result = FourSettings();
  Summarise(result);
  EXPECT_EQ(BestOf(result), 3U);
  EXPECT_EQ(result.settings[3].place, 1U);
  EXPECT_EQ(result.settings[0].place, 4U);
  result.settings[3].fate = Fate::kStopped;
  EXPECT_EQ(BestOf(result), 2U);
  const std::string text = DescribeSweep(result, /*paint=*/false);
  EXPECT_THAT(text, HasSubstr("training.epochs"));
  EXPECT_THAT(text, HasSubstr("4 settings: 3 done, 1 stopped"));
  EXPECT_THAT(text, HasSubstr("0.3000"));
  EXPECT_THAT(text, HasSubstr("0.2500 to 0.3500"));
  EXPECT_THAT(text, HasSubstr("best: training.epochs=3"));
}

TEST(SweepResult, MeansAreOverTheSeedsAndMissWhereOneSeedHasNoValue) {
  SweepResult result = FourSettings({7, 8});
  result.settings[3].runs[1].state = supervisor::v1::RUN_STATE_FAILED;
  result.settings[3].runs[1].value.reset();
  result.settings[3].fate = Fate::kFailed;
  result.settings[3].error = "run 8: no";
  Summarise(result);
  EXPECT_DOUBLE_EQ(*result.settings[2].value, 0.4);
  EXPECT_DOUBLE_EQ(result.settings[2].interval->first, 0.3);
  EXPECT_DOUBLE_EQ(result.settings[2].interval->second, 0.5);
  EXPECT_FALSE(result.settings[3].value.has_value());
  EXPECT_EQ(BestOf(result), 2U);
  EXPECT_THAT(DescribeSweep(result, false), HasSubstr("failed: run 8: no"));
  EXPECT_THAT(DescribeSweep(result, false), HasSubstr("training.seed = 7, 8"));
}

TEST(SweepResult, EverySettingHasItsFateAndItsPlaceAtItsLastRung) {
  SweepResult result = FourSettings();
  result.halving = HalvingPlan{.unit = "triggers", .rungs = RungsOf(4, 1, 4)};
  for (size_t i = 0; i < 2; ++i) result.settings[i].fate = Fate::kHalved;
  for (size_t i = 2; i < 4; ++i) {
    SweepRun run = result.settings[i].runs.front();
    run.rung = 1;
    run.id += 10;
    result.settings[i].rung = 1;
    result.settings[i].runs.push_back(run);
  }
  result.settings[2].fate = Fate::kHalved;
  result.settings[3].fate = Fate::kOpen;
  Summarise(result);
  EXPECT_EQ(FateText(result, result.settings[0]),
            "halved at rung 1 of 3 (1 trigger): place 4 of 4");
  EXPECT_EQ(FateText(result, result.settings[2]),
            "halved at rung 2 of 3 (2 triggers): place 2 of 2");
  EXPECT_EQ(result.settings[2].training_seconds, 4);
  EXPECT_FALSE(BestOf(result).has_value());
  const nlohmann::ordered_json json = SweepToJson(result);
  EXPECT_EQ(json.at("best"), nullptr);
  EXPECT_EQ(json.at("halving").at("rungs").at(1).at("settings"), 2);
  EXPECT_EQ(json.at("settings").at(0).at("fate"), "halved");
  EXPECT_THAT(DescribeSweep(result, false), Not(HasSubstr("best")));
}

}  // namespace
}  // namespace tidemill::cli

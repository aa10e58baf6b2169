#include "cli/sweep/recorded_sweep.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Values = std::vector<std::pair<std::string, std::string>>;

// A run that reached an accuracy. Its number is 100 times the place, and the rung.
v1::GetRunResponse RunAt(int32_t place, int32_t rung, const Values& values, double accuracy) {
  v1::GetRunResponse run;
  run.mutable_run()->set_run_id(100 * place + rung);
  run.mutable_run()->set_pipeline_name("weather");
  run.mutable_run()->set_state(v1::RUN_STATE_SUCCEEDED);
  run.mutable_run()->set_num_triggers(rung);
  run.mutable_run()->mutable_in_sweep()->set_setting(place);
  run.mutable_run()->mutable_in_sweep()->set_rung(rung);
  for (const auto& [key, value] : values) {
    v1::SetValue& set = *run.add_set_values();
    set.set_key(key);
    set.set_value(value);
  }
  evaluator::v1::Evaluation& row = *run.add_results();
  row.set_trigger(1);
  row.set_dataset_name("weather");
  row.set_measure("accuracy");
  row.mutable_to()->set_event_time(10);
  row.set_value(accuracy);
  row.set_num_samples(10);
  row.set_active(true);
  return run;
}

v1::GetRunResponse RunOfRung(int32_t place, int32_t rung, const std::string& rate,
                             double accuracy) {
  v1::GetRunResponse run = RunAt(place, rung, {{"training.optimizer.lr", rate}}, accuracy);
  run.mutable_run()->add_tags(RungTag(static_cast<size_t>(rung - 1), 3));
  return run;
}

std::vector<Fate> FatesOf(const SweepResult& result) {
  std::vector<Fate> fates;
  for (const SettingResult& setting : result.settings) fates.push_back(setting.fate);
  return fates;
}

TEST(RecordedSweep, HasTheSettingsOfItsRunsAndTheBestOfThem) {
  RecordedSweep sweep("weather-1", "");
  sweep.Add(RunAt(3, 1, {{"a", "2"}, {"b", "1"}}, 0.9));
  sweep.Add(RunAt(1, 1, {{"a", "1"}, {"b", "1"}}, 0.7));
  sweep.Add(RunAt(2, 1, {{"a", "1"}, {"b", "3"}}, 0.8));
  const auto result = sweep.Finish();
  ASSERT_THAT(result, ::tidemill::testing::IsOk());
  EXPECT_EQ(result->measure, "accuracy");
  EXPECT_EQ(result->pipeline, "weather");
  EXPECT_THAT(FatesOf(*result), ElementsAre(Fate::kDone, Fate::kDone, Fate::kDone, Fate::kOpen))
      << "the fourth was not submitted yet";
  EXPECT_EQ(BestOf(*result), 2U);
  EXPECT_EQ(TextOf(result->plan, result->plan.settings()[2]), "a=2 b=1");
  EXPECT_THAT(DescribeSweep(*result, false), HasSubstr("best: a=2 b=1"));
}

TEST(RecordedSweep, TakesTheMeanOverSeeds) {
  RecordedSweep sweep("weather-1", "accuracy");
  sweep.Add(RunAt(1, 1, {{"a", "1"}, {"training.seed", "7"}}, 0.5));
  sweep.Add(RunAt(2, 1, {{"a", "2"}, {"training.seed", "7"}}, 0.6));
  sweep.Add(RunAt(3, 1, {{"a", "1"}, {"training.seed", "8"}}, 0.9));
  const auto result = sweep.Finish();
  ASSERT_THAT(result, ::tidemill::testing::IsOk());
  EXPECT_THAT(result->plan.seeds(), ElementsAre(7, 8));
  EXPECT_DOUBLE_EQ(*result->settings[0].value, 0.7);
  EXPECT_THAT(FatesOf(*result), ElementsAre(Fate::kDone, Fate::kOpen));
}

TEST(RecordedSweep, SaysWhichSettingsWereHalved) {
  RecordedSweep sweep("weather-1", "");
  const std::vector<std::string> rates = {"1e-1", "1e-2", "1e-3", "1e-4"};
  for (int32_t place = 1; place <= 4; ++place) {
    sweep.Add(RunOfRung(place, 1, rates[static_cast<size_t>(place - 1)], 0.1 * place));
  }
  auto result = sweep.Finish();
  ASSERT_THAT(result, ::tidemill::testing::IsOk());
  EXPECT_THAT(FatesOf(*result), ElementsAre(Fate::kHalved, Fate::kHalved, Fate::kOpen, Fate::kOpen))
      << "two reach the next rung";
  EXPECT_EQ(BestOf(*result), std::nullopt) << "none was run with the whole effort";

  sweep.Add(RunOfRung(3, 2, "1e-3", 0.9));
  sweep.Add(RunOfRung(4, 2, "1e-4", 0.5));
  sweep.Add(RunOfRung(3, 3, "1e-3", 0.95));
  result = sweep.Finish();
  ASSERT_THAT(result, ::tidemill::testing::IsOk());
  EXPECT_THAT(FatesOf(*result),
              ElementsAre(Fate::kHalved, Fate::kHalved, Fate::kDone, Fate::kHalved));
  EXPECT_EQ(BestOf(*result), 2U);
  EXPECT_EQ(FateText(*result, result->settings[3]),
            "halved at rung 2 of 3 (2 triggers): place 2 of 2");
}

TEST(RecordedSweep, LeavesOutTheEffortWhereRungsAreOfEpochs) {
  RecordedSweep sweep("weather-1", "");
  for (const auto& [place, epochs] : {std::pair(1, "2"), std::pair(2, "2")}) {
    auto run = RunAt(place, 1, {{"a", std::to_string(place)}, {"training.epochs", epochs}}, 0.5);
    run.mutable_run()->add_tags("rung-1-of-2");
    sweep.Add(run);
  }
  const auto result = sweep.Finish();
  ASSERT_THAT(result, ::tidemill::testing::IsOk());
  EXPECT_EQ(result->plan.axes().size(), 1U);
  EXPECT_EQ(EffortText(*result->halving, 0), "2 epochs");
  EXPECT_EQ(EffortText(*result->halving, 1), "all epochs");
}

TEST(RecordedSweep, NamesTheRunsThatFailedAndThoseThatWereStopped) {
  RecordedSweep sweep("weather-1", "");
  auto failed = RunAt(1, 1, {{"a", "1"}}, 0.5);
  failed.mutable_run()->set_state(v1::RUN_STATE_FAILED);
  failed.mutable_run()->set_error("no memory");
  auto stopped = RunAt(2, 1, {{"a", "2"}}, 0.5);
  stopped.mutable_run()->set_state(v1::RUN_STATE_STOPPED);
  sweep.Add(failed);
  sweep.Add(stopped);
  const auto result = sweep.Finish();
  ASSERT_THAT(result, ::tidemill::testing::IsOk());
  EXPECT_THAT(FatesOf(*result), ElementsAre(Fate::kFailed, Fate::kStopped));
  EXPECT_EQ(result->settings[0].error, "run 101: no memory");
}

TEST(RecordedSweep, RefusesASingleRun) {
  RecordedSweep sweep("weather-1", "");
  sweep.Add(RunAt(1, 1, {{"a", "1"}}, 0.5));
  EXPECT_EQ(sweep.Finish().status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tidemill::cli

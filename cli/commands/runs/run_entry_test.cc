#include "cli/commands/runs/run_entry.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;

supervisor::v1::Run RunningRun() {
  supervisor::v1::Run run;
  run.set_run_id(7);
  run.set_pipeline_name("elec2");
  run.set_state(supervisor::v1::RUN_STATE_RUNNING);
  run.mutable_started_at()->set_seconds(1000);
  run.add_tags("best");
  run.add_tags("nightly");
  return run;
}

std::string Wide(const supervisor::v1::Run& run) {
  return DescribeList(RunColumns(), {EntryOf(run, 1090)}, ListFormat::kWide);
}

TEST(RunEntry, ARunThatIsNotFinishedHasLastedUntilNow) {
  EXPECT_THAT(Wide(RunningRun()), HasSubstr("1 min 30 s"));
  supervisor::v1::Run ended = RunningRun();
  ended.mutable_finished_at()->set_seconds(1003);
  EXPECT_THAT(Wide(ended), HasSubstr("3.0 s"));
  const auto json = nlohmann::json::parse(EntryOf(ended, 1090).json);
  EXPECT_EQ(json.at("seconds"), 3.0);
  EXPECT_EQ(json.at("tags"), nlohmann::json({"best", "nightly"}));
  EXPECT_TRUE(json.at("score").is_null());
}

TEST(RunEntry, MarksTheScoreOfAModelThatWasNotInUse) {
  supervisor::v1::Run run = RunningRun();
  run.mutable_score()->set_measure("accuracy");
  run.mutable_score()->set_value(0.75);
  EXPECT_THAT(Wide(run), HasSubstr("0.7500 "));
  run.mutable_score()->set_is_of_last_model(true);
  run.mutable_score()->set_baseline(0.5);
  run.mutable_score()->set_baseline_name("constant");
  EXPECT_THAT(Wide(run), HasSubstr("0.7500*"));
  EXPECT_THAT(Wide(run), HasSubstr("0.5000 constant"));
  EXPECT_THAT(DescribeList(RunColumns(), {EntryOf(run, 1090)}, ListFormat::kCsv),
              HasSubstr("\n7,elec2,running,accuracy,0.75,0.5,constant,"));
}

}  // namespace
}  // namespace tidemill::cli

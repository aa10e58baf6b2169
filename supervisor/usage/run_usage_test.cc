#include "supervisor/usage/run_usage.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "rpc/usage/usage_message.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using usage::Amounts;

void AddRow(const char* stage, int64_t trigger, const Amounts& used, v1::RunEvent& event) {
  v1::StageUsage& row = *event.add_usage();
  row.set_stage(stage);
  row.set_trigger(trigger);
  *row.mutable_usage() = rpc::ToMessage(used);
}

v1::RunEvent OfJob(const char* stage, int64_t trigger, const Amounts& used, const char* name,
                   const Amounts& total) {
  v1::RunEvent event;
  AddRow(stage, trigger, used, event);
  event.mutable_usage(0)->mutable_job()->set_name(name);
  *event.mutable_usage(0)->mutable_job()->mutable_usage() = rpc::ToMessage(total);
  return event;
}

std::vector<std::string> NamesOf(const v1::RunCosts& costs) {
  std::vector<std::string> names;
  for (const v1::StageUsage& row : costs.stages()) {
    names.push_back(row.stage() + " " + std::to_string(row.trigger()));
  }
  return names;
}

TEST(RunUsage, AddsUpByStageAndTriggerInTheirOrder) {
  RunUsage usage;
  v1::RunEvent event;
  AddRow("train", 2, {.job_nanos = 5}, event);
  AddRow("decide", 1, {.service_nanos = 1}, event);
  AddRow("train", 1, {.job_nanos = 3, .device_nanos = {{"cuda", 4}}}, event);
  usage.Apply(event);
  event.Clear();
  AddRow("train", 1, {.job_nanos = 4, .bytes_read = 9}, event);
  usage.Apply(event);
  EXPECT_EQ(usage.Of(1, "train"),
            (Amounts{.job_nanos = 7, .device_nanos = {{"cuda", 4}}, .bytes_read = 9}));
  EXPECT_EQ(usage.Of(3, "train"), Amounts());
  EXPECT_THAT(NamesOf(usage.Costs()), ElementsAre("decide 1", "train 1", "train 2"));
}

TEST(RunUsage, KnowsWhichPartOfAJobsTotalItHas) {
  RunUsage usage;
  usage.Apply(OfJob("train", 1, {.job_nanos = 10}, "a", {.job_nanos = 10}));
  usage.Apply(OfJob("train", 1, {.job_nanos = 5}, "a", {.job_nanos = 15}));
  usage.Apply(OfJob("train", 1, {.job_nanos = 2}, "b", {.job_nanos = 2}));
  EXPECT_EQ(usage.OfJob("a").job_nanos, 15);
  EXPECT_EQ(usage.OfJob("b").job_nanos, 2);
  EXPECT_EQ(usage.Of(1, "train").job_nanos, 17) << "two servers have worked on one trigger";
}

TEST(RunUsage, ShowsStagesThatItDoesNotKnow) {
  RunUsage usage;
  v1::RunEvent event;
  AddRow("dream", 1, {.job_nanos = 1}, event);
  AddRow("retire", 1, {.job_nanos = 1}, event);
  usage.Apply(event);
  EXPECT_THAT(NamesOf(usage.Costs()), ElementsAre("retire 1", "other 1"));
}

}  // namespace
}  // namespace tidemill::supervisor

#include "cli/commands/runs/run_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using supervisor::v1::ListPlacementsResponse;
using supervisor::v1::Placement;
using ::testing::AllOf;
using ::testing::HasSubstr;

Placement& Add(ListPlacementsResponse& placements, const std::string& stage,
               const std::string& member, int64_t asked, int64_t given, int64_t ended) {
  Placement& placement = *placements.add_placements();
  placement.mutable_job()->set_stage(stage);
  placement.mutable_job()->set_number(1);
  placement.set_device("auto");
  placement.mutable_asked_at()->set_seconds(asked);
  if (given == 0) return placement;
  placement.set_member_name(member);
  placement.set_slots("cpu");
  placement.mutable_given_at()->set_seconds(given);
  if (ended != 0) placement.mutable_ended_at()->set_seconds(ended);
  return placement;
}

constexpr int64_t kNow = int64_t{1'100} * 1'000'000;

TEST(DescribePlaces, SaysNothingOfARunOnOneTrainerServerThatNeverWaited) {
  ListPlacementsResponse placements;
  Add(placements, "train", "here", 1'000, 1'000, 1'010);
  Add(placements, "evaluate", "here-evaluator", 1'010, 1'010, 0);
  EXPECT_EQ(DescribePlaces(placements, kNow), "");
}

TEST(DescribePlaces, NamesJobsOfAnEngineAndWaitingTimes) {
  ListPlacementsResponse placements;
  Add(placements, "train", "slurm-17_1", 1'000, 1'042, 1'050)
      .set_end_reason("its member was lost or has started again");
  Add(placements, "train", "", 1'050, 0, 0);
  const std::string text = DescribePlaces(placements, kNow);
  EXPECT_THAT(text, AllOf(HasSubstr("slurm-17_1"), HasSubstr("42 s"), HasSubstr("8.0 s"),
                          HasSubstr("its member was lost"), HasSubstr("50 s")));
  const nlohmann::ordered_json json = PlacesToJson(placements);
  EXPECT_EQ(json.at(0).at("member"), "slurm-17_1");
  EXPECT_EQ(json.at(1).at("given_at"), nullptr);
}

}  // namespace
}  // namespace tidemill::cli

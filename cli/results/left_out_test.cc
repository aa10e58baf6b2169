#include "cli/results/left_out.h"

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

supervisor::v1::GetRunResponse RunWith(bool wanted) {
  supervisor::v1::GetRunResponse run;
  rpc::v1::LeftOut& left_out = (*run.mutable_left_out())["weather"];
  left_out.set_num_records(487);
  left_out.set_num_seen(1461);
  left_out.set_num_unlabelled(12);
  auto& reason = *left_out.add_reasons();
  reason.set_reason("label '...' is not in classes");
  reason.set_first_reason("label 'x' is not in classes");
  reason.set_num_records(487);
  reason.set_first_path("/data/weather.csv");
  reason.set_first_record(2);
  reason.set_wanted(wanted);
  return run;
}

TEST(LeftOut, ReportsCountsReasonsAndTheNextCommand) {
  const std::string text = DescribeLeftOut(RunWith(false), {});
  EXPECT_THAT(text, HasSubstr("487 records"));
  EXPECT_THAT(text, HasSubstr("label 'x' is not in classes"));
  EXPECT_THAT(text, HasSubstr("weather.csv, record 2"));
  EXPECT_THAT(text, HasSubstr("487 of 1,461 records of weather were left out"));
  EXPECT_THAT(text, HasSubstr("tidemill datasets quarantine weather"));
  EXPECT_THAT(text, HasSubstr("12 samples of weather have no label"));
  EXPECT_EQ(DescribeLeftOut({}, {}), "");
}

TEST(LeftOut, ReportsFilteredRecordsBesideTheirCondition) {
  supervisor::v1::GetRunResponse run;
  rpc::v1::LeftOut& weather = (*run.mutable_left_out())["weather"];
  weather.set_num_seen(1461);
  weather.set_num_filtered(1200);
  weather.set_where("wind > 0");
  EXPECT_EQ(DescribeLeftOut(run, {}),
            "1,200 of 1,461 records of weather do not satisfy `where`: wind > 0\n");
  EXPECT_FALSE(AnyLost(run));
  const auto json = LeftOutToJson(run);
  EXPECT_EQ(json.at("filtered"), 1200);
  EXPECT_EQ(json.at("records"), 0);
  ASSERT_EQ(json.at("filters").size(), 1u);
  EXPECT_EQ(json.at("filters").at(0).at("where"), "wind > 0");
}

TEST(LeftOut, NamesFilesThatWereNotTakenAndCountsThemAsALoss) {
  supervisor::v1::GetRunResponse run;
  rpc::v1::FilesNotTaken& not_taken = *(*run.mutable_left_out())["weather"].mutable_not_taken();
  not_taken.set_num_files(25);
  for (int i = 0; i < 20; ++i) {
    not_taken.add_files()->set_path(fmt::format("{:02}.csv", i));
    not_taken.mutable_files(i)->set_reason("it changed while it was read");
  }
  const std::string text = DescribeLeftOut(run, {});
  EXPECT_THAT(text,
              HasSubstr("25 files of weather were not taken: 00.csv (it changed while it was"));
  EXPECT_THAT(text, HasSubstr("and 22 more"));
  EXPECT_TRUE(AnyLost(run));
  const auto json = LeftOutToJson(run);
  ASSERT_EQ(json.at("not_taken").size(), 1u);
  EXPECT_EQ(json.at("not_taken").at(0).at("dataset"), "weather");
  EXPECT_EQ(json.at("not_taken").at(0).at("files"), 25);
  EXPECT_EQ(json.at("not_taken").at(0).at("first").size(), 20u);
  EXPECT_EQ(json.at("not_taken").at(0).at("first").at(19).at("file"), "19.csv");
}

TEST(LeftOut, NamesTheFirstReasonsUnlessAllAreAskedFor) {
  auto run = RunWith(true);
  rpc::v1::LeftOut& left_out = run.mutable_left_out()->at("weather");
  for (int i = 0; i < 7; ++i) *left_out.add_reasons() = left_out.reasons(0);
  EXPECT_THAT(DescribeLeftOut(run, {}), HasSubstr("and 3 more reasons; --full shows all"));
  EXPECT_THAT(DescribeLeftOut(run, {.full = true}), Not(HasSubstr("--full")));
  EXPECT_THAT(DescribeLeftOut(run, {}), Not(HasSubstr("quarantine"))) << "it is not listed there";
}

TEST(LeftOut, AddsUpTheDatasetsOfARun) {
  auto run = RunWith(false);
  (*run.mutable_left_out())["test"] = run.left_out().at("weather");
  const auto json = LeftOutToJson(run);
  EXPECT_EQ(json.at("records"), 974);
  EXPECT_EQ(json.at("of"), 2922);
  EXPECT_EQ(json.at("unlabelled"), 24);
  ASSERT_EQ(json.at("reasons").size(), 2u);
  EXPECT_EQ(json.at("reasons").at(0).at("dataset"), "test");
  EXPECT_EQ(json.at("reasons").at(0).at("first").at("record"), 2);
}

TEST(LeftOut, IsALossUnlessTheSpecWantsIt) {
  EXPECT_TRUE(AnyLost(RunWith(false)));
  EXPECT_FALSE(AnyLost(RunWith(true)));
  auto run = RunWith(true);
  run.add_triggers()->mutable_result()->set_num_skipped(1);
  EXPECT_TRUE(AnyLost(run)) << "a training skipped a sample";
}

}  // namespace
}  // namespace tidemill::cli

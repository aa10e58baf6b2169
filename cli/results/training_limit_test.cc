#include "cli/results/training_limit.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

TEST(TrainingLimit, IsFollowedByWhatChangesAreToGain) {
  rpc::v1::TrainingResult result;
  result.set_verdict("limit: op resize (64 % of preparing)");
  EXPECT_EQ(DescribeLimit(result), "limit: op resize (64 % of preparing)");
  rpc::v1::PredictedGain& gain = *result.add_gains();
  gain.set_change("op resize twice as fast");
  gain.set_factor(1.47);
  EXPECT_EQ(DescribeLimit(result),
            "limit: op resize (64 % of preparing); predicted: op resize twice as fast 1.5x");
  nlohmann::ordered_json json;
  AddLimit(result, json);
  EXPECT_EQ(json["gains"].dump(), R"([{"change":"op resize twice as fast","factor":1.47}])");
  EXPECT_EQ(json["verdict"], result.verdict());
}

TEST(TrainingLimit, IsFollowedByWhatWasDecidedAboutPreparedSamples) {
  rpc::v1::TrainingResult result;
  result.set_verdict("limit: op resize (64 % of preparing)");
  rpc::v1::PreparedSummary& prepared = *result.mutable_prepared();
  prepared.set_reason("no sample is expected to be used again");
  EXPECT_EQ(DescribeLimit(result),
            "limit: op resize (64 % of preparing); no prepared samples kept: no sample is expected "
            "to be used again");
  prepared.set_kept_after("op 2 (resize)");
  prepared.set_num_found(640);
  prepared.set_measured_speedup(5.12);
  prepared.add_points()->set_speedup(5.3);
  prepared.set_chosen(1);
  EXPECT_EQ(DescribePrepared(prepared),
            "prepared samples kept after op 2 (resize): 640 found, prepared 5.1x as fast "
            "(predicted 5.3x)");
  prepared.set_num_refused(12);
  nlohmann::ordered_json json;
  AddLimit(result, json);
  EXPECT_EQ(json["prepared"]["kept_after"], "op 2 (resize)");
  EXPECT_EQ(json["prepared"]["refused"], 12);
  EXPECT_EQ(json["prepared"]["points"][0]["predicted_speedup"], 5.3);
}

TEST(TrainingLimit, IsNotToldWhereItIsNotKnown) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  AddLimit({}, json);
  EXPECT_TRUE(json.empty());
  EXPECT_EQ(DescribeLimit({}), "");
}

}  // namespace
}  // namespace tidemill::cli

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

TEST(TrainingLimit, IsNotToldWhereItIsNotKnown) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  AddLimit({}, json);
  EXPECT_TRUE(json.empty());
  EXPECT_EQ(DescribeLimit({}), "");
}

}  // namespace
}  // namespace tidemill::cli

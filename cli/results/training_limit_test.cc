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
  EXPECT_THAT(DescribeLimit(result), ::testing::HasSubstr("prepared samples kept after op 2"));
  prepared.set_num_refused(12);
  nlohmann::ordered_json json;
  AddLimit(result, json);
  EXPECT_EQ(json["prepared"]["kept_after"], "op 2 (resize)");
  EXPECT_EQ(json["prepared"]["refused"], 12);
  EXPECT_EQ(json["prepared"]["points"][0]["predicted_speedup"], 5.3);
}

TEST(TrainingLimit, IsFollowedByWhatWasShared) {
  rpc::v1::TrainingResult result;
  result.set_verdict("limit: the training itself");
  rpc::v1::SharedWork& shared = *result.mutable_shared();
  shared.set_wait_nanos(500'000'000);
  nlohmann::ordered_json json;
  AddLimit(result, json);
  EXPECT_FALSE(json.contains("shared")) << "it was alone";
  shared.set_made(1200);
  shared.set_taken(3600);
  EXPECT_EQ(
      DescribeLimit(result),
      "limit: the training itself; of the samples that several trainings prepare, it prepared "
      "1,200 and took 3,600");
  shared.set_again(40);
  shared.set_failed(2);
  EXPECT_THAT(DescribeLimit(result),
              ::testing::EndsWith("; 40 were prepared again; 2 blocks could not be shared"));
  AddLimit(result, json);
  EXPECT_EQ(json["shared"].dump(),
            R"({"made":1200,"taken":3600,"again":40,"failed":2,"wait_seconds":0.5})");
}

TEST(TrainingLimit, IsNotToldWhereItIsNotKnown) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  AddLimit({}, json);
  EXPECT_TRUE(json.empty());
  EXPECT_EQ(DescribeLimit({}), "");
}

}  // namespace
}  // namespace tidemill::cli

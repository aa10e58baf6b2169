#include "trainer_server/training_metrics.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

rpc::v1::TrainingResult ResultWith(const std::string& change, double factor) {
  rpc::v1::TrainingResult result;
  result.set_wait_share(.25);
  rpc::v1::PredictedGain& gain = *result.add_gains();
  gain.set_change(change);
  gain.set_factor(factor);
  return result;
}

TEST(TrainingMetrics, ShowTheGainsThatAreThoseOfTheLastTraining) {
  metrics::Registry registry;
  TrainingMetrics metrics(registry);
  metrics.Note(ResultWith("twice the threads", 1.8));
  EXPECT_THAT(registry.Text(),
              AllOf(HasSubstr("tidemill_trainer_server_stored_trainings_total 1"),
                    HasSubstr("tidemill_trainer_server_wait_share 0.25"),
                    HasSubstr("predicted_gain{change=\"twice the threads\"} 1.8")));
  metrics.Note(ResultWith("op resize twice as fast", 1.5));
  EXPECT_THAT(registry.Text(),
              AllOf(HasSubstr("predicted_gain{change=\"twice the threads\"} 1\n"),
                    HasSubstr("predicted_gain{change=\"op resize twice as fast\"} 1.5")));
}

}  // namespace
}  // namespace tidemill::trainer_server

#include "trainer_server/training_metrics.h"

#include <map>

namespace tidemill::trainer_server {
namespace {

// Each name of an op makes a series, which stays as long as the process.
constexpr size_t kMostChanges = 200;

}  // namespace

TrainingMetrics::TrainingMetrics(metrics::Registry& registry)
    : trainings_(registry.AddCounter(
          {"trainer_server_stored", "trainings", "Trainings whose model was stored."})),
      wait_share_(
          registry.AddGauge({"trainer_server_wait_share", "",
                             "The share of its time that the last training waited for data."})),
      gain_(registry.AddGauge(
          {"trainer_server_predicted_gain", "",
           "How many times as fast the last training would have been, by the change.", "change"})) {
}

void TrainingMetrics::Note(const rpc::v1::TrainingResult& result) {
  MutexLock lock(mutex_);
  trainings_.Add();
  wait_share_.Set(result.wait_share());
  std::map<std::string, double> factors;
  for (const std::string& change : changes_) factors[change] = 1;
  for (const rpc::v1::PredictedGain& gain : result.gains()) {
    if (changes_.size() < kMostChanges) changes_.insert(gain.change());
    if (changes_.contains(gain.change())) factors[gain.change()] = gain.factor();
  }
  for (const auto& [change, factor] : factors) gain_.Set(factor, change);
}

}  // namespace tidemill::trainer_server

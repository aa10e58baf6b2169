// The metrics of the trainer server: what limited its trainings.
#pragma once

#include <set>
#include <string>

#include "base/metrics.h"
#include "base/mutex.h"
#include "tidemill/rpc/v1/training_result.pb.h"

namespace tidemill::trainer_server {

// Thread-safe.
class TrainingMetrics {
 public:
  explicit TrainingMetrics(metrics::Registry& registry);

  // Notes a training that is done. The gauges are those of the last one: a change that is no longer
  // predicted to gain anything has the factor 1.
  void Note(const rpc::v1::TrainingResult& result) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  metrics::Counter& trainings_;
  metrics::Gauge& wait_share_;
  metrics::Gauge& gain_;
  Mutex mutex_;
  std::set<std::string> changes_ ABSL_GUARDED_BY(mutex_);  // The series of `gain_`.
};

}  // namespace tidemill::trainer_server

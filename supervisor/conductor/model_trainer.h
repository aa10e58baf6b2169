// Lets the trainer server make a model from the training set of a trigger.
#pragma once

#include "base/status.h"
#include "supervisor/conductor/patience.h"
#include "supervisor/conductor/run_record.h"
#include "supervisor/runs/downstream.h"

namespace tidemill::supervisor {

// Takes the steps `fit`, `train` and `store`, which the trainer server carries out. Each is done
// once per trigger, however often it is taken. The errors are those of the trainer server.
// UNAVAILABLE when the trainer server was away for too long. Thread-compatible.
class ModelTrainer {
 public:
  // All must outlive this object.
  ModelTrainer(RunRecord& record, Downstream& downstream, Patience& patience)
      : record_(record), downstream_(downstream), patience_(patience) {}

  // Fits the ops of the pipeline's graph. A trigger whose fit fails is skipped.
  absl::Status Fit(const TriggerState& trigger);
  // Trains and reports progress. A trigger whose training fails is skipped.
  absl::Status Train(const TriggerState& trigger);
  // Gives the model to the model store.
  absl::Status Store(const TriggerState& trigger);

 private:
  trainer_server::v1::FitGraphRequest FitOf(const TriggerState& trigger) const;
  trainer_server::v1::StartTrainingRequest TrainingOf(const TriggerState& trigger) const;
  // Starts the training and waits until it is done or has failed. Returns the last state seen.
  absl::StatusOr<trainer_server::v1::WatchTrainingResponse> Watch(const TriggerState& trigger);
  void ReportTraining(int64_t trigger, const trainer_server::v1::WatchTrainingResponse& update);

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor

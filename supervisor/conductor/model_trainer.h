// Lets the trainer server make a model from the training set of a trigger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "supervisor/conductor/model_reuse.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/steps/job_slots.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// Has the trainer server carry out the steps `fit`, `train` and `store`. Each is done once per
// trigger, even when it is repeated. With `training: {reuse: true}`, a trigger reuses an existing
// model, and counts the cost of its training. Returns the errors of the trainer server. UNAVAILABLE
// when the trainer server was unreachable for too long. Thread-compatible.
class ModelTrainer {
 public:
  // All must outlive this object.
  ModelTrainer(RunRecord& record, Downstream& downstream, JobSlots& slots, Patience& patience)
      : record_(record),
        downstream_(downstream),
        slots_(slots),
        patience_(patience),
        reuse_(record, downstream, slots, patience) {}

  // Fits the ops of the pipeline's graph. A trigger whose fit fails is skipped.
  absl::Status Fit(const TriggerState& trigger);
  // Trains and reports progress. The slots stay until the model is stored. A trigger whose training
  // fails is skipped.
  absl::Status Train(const TriggerState& trigger);
  // Gives the model to the model store.
  absl::Status Store(const TriggerState& trigger);

 private:
  absl::Status FitHere(const TriggerState& trigger);
  // Returns whether there is a training whose model must be stored.
  absl::StatusOr<bool> TrainHere(const TriggerState& trigger);
  // Fits, or uses the fitted state of an existing model, and sets `like` to null when that state is
  // gone.
  absl::StatusOr<std::string> FitOrTake(const TriggerState& trigger,
                                        std::optional<model_store::v1::Model>& like);
  // FAILED_PRECONDITION when the dataset's folder has been removed: then no later trigger can
  // succeed.
  absl::Status CheckData();
  // Gives the model to the model store, and trains it again when no trainer server has it.
  absl::StatusOr<trainer_server::v1::StoreModelResponse> StoreTrained(const TriggerState& trigger);
  absl::Status StoreTaken(const TriggerState& trigger);
  absl::Status RecordStored(int64_t trigger, int64_t model_id, const std::string& weights_digest,
                            double seconds);
  trainer_server::v1::FitGraphRequest FitOf(const TriggerState& trigger) const;
  trainer_server::v1::StartTrainingRequest TrainingOf(const TriggerState& trigger) const;
  // Starts the training and waits until it is done or has failed. Returns the last state seen.
  absl::StatusOr<trainer_server::v1::WatchTrainingResponse> Watch(
      trainer_server::v1::StartTrainingRequest request);
  // How a training began, with the stages before it.
  rpc::v1::TrainingStart StartOf(int64_t trigger, const rpc::v1::TrainingResult& result) const;
  void ReportTraining(int64_t trigger, const trainer_server::v1::WatchTrainingResponse& update);

  RunRecord& record_;
  Downstream& downstream_;
  JobSlots& slots_;
  Patience& patience_;
  ModelReuse reuse_;
};

}  // namespace tidemill::supervisor

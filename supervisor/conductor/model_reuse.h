// Finds models that need not be trained again, for `training: {reuse: true}`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/steps/job_slots.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// The identity of a training, by which others can find its model.
struct KnownTraining {
  // Empty when the training may not be reused, and `why_none` says why.
  std::string digest = {};
  std::string why_none = {};
  // The model that was reused, from an earlier run or trigger.
  std::optional<model_store::v1::ReuseModelResponse> taken = std::nullopt;
};

// Two trainings with one digest end with the same weights (trainer_server/training_digest.h). A
// training is not reused once samples of its dataset are deleted after the run's snapshot: the
// model may have seen them. Returns the errors of the trainer server and of the model store.
// Thread-compatible.
class ModelReuse {
 public:
  // All must outlive this object.
  ModelReuse(RunRecord& record, Downstream& downstream, JobSlots& slots, Patience& patience)
      : record_(record), downstream_(downstream), slots_(slots), patience_(patience) {}

  // Returns a model that the trigger's training would make, if there is one. The trainer server
  // that fits is asked.
  absl::StatusOr<std::optional<model_store::v1::Model>> Find(
      const trainer_server::v1::StartTrainingRequest& training);

  // Gives the trigger such a model, if there is one. The trainer server that trains is asked.
  // Idempotent: after a crash, the trigger has the
  // model that it was given.
  absl::StatusOr<KnownTraining> Take(const trainer_server::v1::StartTrainingRequest& training);

  // Returns the model that the trigger was given. Empty when it was given none.
  absl::StatusOr<model_store::v1::ReuseModelResponse> Given(int64_t trigger);

 private:
  absl::StatusOr<trainer_server::v1::GetTrainingDigestResponse> DigestOf(
      const std::string& stage, const trainer_server::v1::StartTrainingRequest& training);
  // Notes why the model of a digest is not taken, or returns one.
  absl::StatusOr<std::optional<model_store::v1::Model>> Find(KnownTraining& known, int64_t trigger);
  absl::StatusOr<bool> SamplesWereDeleted(int64_t trigger);
  absl::StatusOr<model_store::v1::ReuseModelResponse> Ask(
      const model_store::v1::ReuseModelRequest& request);

  RunRecord& record_;
  Downstream& downstream_;
  JobSlots& slots_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor

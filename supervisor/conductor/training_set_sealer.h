// Lets the selector choose the training set of a trigger.
#pragma once

#include "base/status.h"
#include "base/time.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// Carries out the step `select`. The selector chooses from the samples whose labels are known at
// the trigger's cut, and seals the set. Thread-compatible.
class TrainingSetSealer {
 public:
  // All must outlive this object.
  TrainingSetSealer(RunRecord& record, Downstream& downstream, Patience& patience)
      : record_(record), downstream_(downstream), patience_(patience) {}

  // A trigger with an empty selection is skipped. Returns the errors of the selector.
  absl::Status Seal(const TriggerState& trigger);

 private:
  absl::StatusOr<selector::v1::SealTrainingSetRequest> RequestFor(
      const TriggerState& trigger) const;
  // Adds the cuts of the new data and of the earlier data.
  void AddCuts(const TriggerState& trigger, Duration label_delay,
               selector::v1::SealTrainingSetRequest& request) const;
  // For a live run: adds what became known since the previous trigger.
  void AddLateSamples(const TriggerState& trigger, Duration label_delay,
                      selector::v1::SealTrainingSetRequest& request) const;

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor

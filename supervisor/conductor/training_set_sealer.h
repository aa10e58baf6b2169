// Has the training set of a trigger selected.
#pragma once

#include "base/status.h"
#include "base/time.h"
#include "supervisor/conductor/patience.h"
#include "supervisor/conductor/run_record.h"
#include "supervisor/runs/downstream.h"

namespace tidemill::supervisor {

// Takes the step `select`: the selector chooses samples whose labels are known at the trigger's
// cut, and seals them. Thread-compatible.
class TrainingSetSealer {
 public:
  // All must outlive this object.
  TrainingSetSealer(RunRecord& record, Downstream& downstream, Patience& patience)
      : record_(record), downstream_(downstream), patience_(patience) {}

  // A trigger for which nothing is selected is skipped. Errors are those of the selector.
  absl::Status Seal(const TriggerState& trigger);

 private:
  absl::StatusOr<selector::v1::SealTrainingSetRequest> RequestFor(
      const TriggerState& trigger) const;
  // What the new data and those before them are, in the stream of samples.
  void AddCuts(const TriggerState& trigger, Duration label_delay,
               selector::v1::SealTrainingSetRequest& request) const;
  // Of a live run: what became known since the trigger before.
  void AddLateSamples(const TriggerState& trigger, Duration label_delay,
                      selector::v1::SealTrainingSetRequest& request) const;

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor

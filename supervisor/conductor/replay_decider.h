// Makes the decisions of a run over a dataset that does not grow.
#pragma once

#include "base/status.h"
#include "supervisor/conductor/run_policy.h"
#include "supervisor/conductor/trigger_search.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// Carries out the step `decide` of a replay. Records the decisions up to the next trigger, or that
// the stream has ended. Thread-compatible.
class ReplayDecider {
 public:
  // All must outlive this object.
  ReplayDecider(RunRecord& record, Downstream& downstream, Patience& patience);

  // Returns the errors of storage and of the run's policy.
  absl::Status Decide();

 private:
  // Ends a replay that has reached its number of triggers.
  absl::Status EndEarly();
  absl::Status End(const TriggerSearch::Seen& seen);
  absl::StatusOr<TriggerSearch::Seen> SeekTrigger();
  // Returns the stream from its beginning on.
  storage::v1::ListSamplesRequest Stream() const;

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
  RunPolicy policy_;
};

}  // namespace tidemill::supervisor

// Makes the decisions of a run over a dataset that keeps growing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/status.h"
#include "supervisor/conductor/live_stream.h"
#include "supervisor/conductor/run_policy.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// Carries out the step `decide` of a live run. It follows the stream, and records decisions, each
// trigger with the state of the stream. It ends the stream when the run must stop, or has reached
// its number of triggers. Thread-compatible.
class LiveFollower {
 public:
  // All must outlive this object. The run must be live.
  LiveFollower(RunRecord& record, Downstream& downstream, Patience& patience);

  // Reads the stream once, and pauses when nothing has changed. Returns the errors of storage and
  // of the run's policy.
  absl::Status Follow();

 private:
  absl::Status OpenStream();
  absl::Status EndStream();
  // Adds the state of the stream at the trigger to the event.
  absl::Status AddWhatIsKnown(v1::TriggerFired& trigger);
  // Returns the number of samples that came too late for the last trigger.
  absl::StatusOr<int64_t> CountLate() const;
  // Records the number of samples that are ahead of the clock, when it is twice the number recorded
  // last, and when it has become zero.
  absl::Status RecordSamplesAhead();
  void ReportWaiting();

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
  RunPolicy policy_;
  std::unique_ptr<LiveStream> stream_;  // Set once the stream is read.
};

}  // namespace tidemill::supervisor

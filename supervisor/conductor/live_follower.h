// Makes the decisions of a run over a dataset that keeps growing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/status.h"
#include "supervisor/conductor/live_stream.h"
#include "supervisor/conductor/patience.h"
#include "supervisor/conductor/run_policy.h"
#include "supervisor/conductor/run_record.h"
#include "supervisor/runs/downstream.h"

namespace tidemill::supervisor {

// Takes the step `decide` of a live run. It follows the stream, and records decisions, each trigger
// with what is known about the stream. It ends the stream when the run must stop, or has reached
// its number of triggers. Thread-compatible.
class LiveFollower {
 public:
  // All must outlive this object. The run must be live.
  LiveFollower(RunRecord& record, Downstream& downstream, Patience& patience);

  // Looks at the stream once, and pauses when nothing came of it. The errors are those of storage
  // and of the run's policy.
  absl::Status Follow();

 private:
  absl::Status OpenStream();
  absl::Status EndStream();
  // Adds to the event what is known about the stream at the trigger.
  absl::Status AddWhatIsKnown(v1::TriggerFired& trigger);
  // Returns the number of samples that came too late for the last trigger.
  absl::StatusOr<int64_t> CountLate() const;
  // Records samples that are ahead of the clock, when there are twice as many as were told, and
  // when there are none any more.
  absl::Status TellOfSamplesAhead();
  void ReportWaiting();

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
  RunPolicy policy_;
  std::unique_ptr<LiveStream> stream_;  // Set once the stream is looked at.
};

}  // namespace tidemill::supervisor

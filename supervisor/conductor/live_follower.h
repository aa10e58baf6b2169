// Decides in a run over a dataset that goes on growing.
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

// Takes the step `decide` of a live run: it follows the stream, records decisions with what is
// known of the stream at each trigger, and ends the stream once the run is to stop or has had as
// many triggers as were asked for. Thread-compatible.
class LiveFollower {
 public:
  // All must outlive this object. The run is live.
  LiveFollower(RunRecord& record, Downstream& downstream, Patience& patience);

  // Looks at the stream once, and pauses when that brought about nothing. Errors are those of
  // storage and of the run's policy.
  absl::Status Follow();

 private:
  absl::Status OpenStream();
  absl::Status EndStream();
  // Writes down what a trigger knows of the stream.
  absl::Status AddWhatIsKnown(v1::TriggerFired& trigger);
  // Samples that came too late for the last trigger.
  absl::StatusOr<int64_t> CountLate() const;
  void ReportWaiting();

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
  RunPolicy policy_;
  std::unique_ptr<LiveStream> stream_;  // Once it is looked at.
};

}  // namespace tidemill::supervisor

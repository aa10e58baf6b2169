// What people ask of a run under way.
#pragma once

#include <cstdint>
#include <optional>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "supervisor/requests/conducted_runs.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/folded_run.h"
#include "supervisor/runs/stored_runs.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Stops runs, resumes them and asks them for trainings. Each is an event in a new epoch: the run's
// conductor ends, and another one goes on from there. NOT_FOUND for an unknown run. What was
// answered survives the process. Thread-safe.
class RunControl {
 public:
  // All must outlive this object.
  RunControl(db::Database& database, Downstream& downstream, const StoredRuns& runs,
             ConductedRuns& conducted)
      : database_(database), downstream_(downstream), runs_(runs), conducted_(conducted) {}

  // Returns the run as it is then: STOPPED; RUNNING for a live run, which goes on until it has
  // measured what there is, unless it is stopped once more; or as it had ended before.
  absl::StatusOr<v1::Run> Stop(RunId run);
  // FAILED_PRECONDITION for a run that has succeeded. Does nothing to one that is RUNNING.
  absl::StatusOr<v1::Run> Resume(RunId run);
  // Asks a live run for a training, once for each request. FAILED_PRECONDITION for a replay, and
  // for a run that is not running, is being stopped or may fire no more triggers.
  absl::StatusOr<v1::TriggerRunResponse> Trigger(const v1::TriggerRunRequest& request);

 private:
  // Writes down that the run has stopped, or is to stop later, and returns the epoch of that;
  // std::nullopt where the run has ended meanwhile.
  absl::StatusOr<std::optional<int64_t>> RecordStop(RunId run, bool ends_later);
  // Ends the training that the run was in the middle of, if any.
  void StopTraining(RunId run, int64_t epoch, const RunState& state);

  db::Database& database_;
  Downstream& downstream_;
  const StoredRuns& runs_;
  ConductedRuns& conducted_;
};

}  // namespace tidemill::supervisor

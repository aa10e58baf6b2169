// Controls runs in progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "supervisor/pool/pool.h"
#include "supervisor/requests/conducted_runs.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/folded_run.h"
#include "supervisor/runs/stored_runs.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Stops runs, resumes them, and asks them for trainings. Each of these is an event in a new epoch:
// the run's conductor ends, and another one continues from there. An answer survives the process.
// NOT_FOUND when the run is unknown. Thread-safe.
class RunControl {
 public:
  // All must outlive this object.
  RunControl(db::Database& database, Downstream& downstream, Pool& pool, const StoredRuns& runs,
             ConductedRuns& conducted)
      : database_(database),
        downstream_(downstream),
        pool_(pool),
        runs_(runs),
        conducted_(conducted) {}

  // Returns the run as it then is. It is STOPPED. A live run is RUNNING: it continues until it has
  // measured its models, unless it is stopped again. A run that had ended is unchanged.
  absl::StatusOr<v1::Run> Stop(RunId run);
  // FAILED_PRECONDITION when the run has succeeded. Does nothing when it is RUNNING.
  absl::StatusOr<v1::Run> Resume(RunId run);
  // Asks a live run for a training, once per request. FAILED_PRECONDITION for a replay, and for a
  // run that is not running, is being stopped, or may not fire any more triggers.
  absl::StatusOr<v1::TriggerRunResponse> Trigger(const v1::TriggerRunRequest& request);

 private:
  // Records that the run has stopped, or must stop later, and returns the epoch of that event.
  // std::nullopt when the run has ended in the meantime.
  absl::StatusOr<std::optional<int64_t>> RecordStop(RunId run, bool ends_later);
  // Ends the training in progress, if there is one, and the leases of the run's jobs.
  void StopTraining(RunId run, int64_t epoch, const RunState& state);
  void StopTrainingAt(const std::string& endpoint, RunId run, int64_t epoch,
                      const TriggerState& open);

  db::Database& database_;
  Downstream& downstream_;
  Pool& pool_;
  const StoredRuns& runs_;
  ConductedRuns& conducted_;
};

}  // namespace tidemill::supervisor

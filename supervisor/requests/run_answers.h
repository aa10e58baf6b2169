// Shows what a run has done.
#pragma once

#include "base/status.h"
#include "db/database.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/folded_run.h"
#include "supervisor/runs/stored_runs.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Answers questions about a run: its triggers and decisions, and the values of its models.
// Thread-safe.
class RunAnswers {
 public:
  // All must outlive this object.
  RunAnswers(db::Database& database, Downstream& downstream, const StoredRuns& runs)
      : database_(database), downstream_(downstream), runs_(runs) {}

  // NOT_FOUND when the run is unknown. Asks the evaluator once there may be evaluations; its errors
  // are returned. For a run with more than 10,000 decisions, only those that fired are shown.
  absl::StatusOr<v1::GetRunResponse> Get(const v1::GetRunRequest& request) const;

  // Returns only the values of the run's models and of rules without one. The same errors.
  absl::StatusOr<v1::GetRunResponse> GetValues(RunId run) const;

 private:
  absl::Status AddAllDecisions(RunId run, v1::GetRunResponse& response) const;
  // Adds the values that were measured.
  absl::Status AddValues(RunId run, const PipelineSpec& spec, const RunState& state,
                         v1::GetRunResponse& response) const;

  db::Database& database_;
  Downstream& downstream_;
  const StoredRuns& runs_;
};

}  // namespace tidemill::supervisor

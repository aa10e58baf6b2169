// Shows what a run has done.
#pragma once

#include "base/status.h"
#include "db/database.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/folded_run.h"
#include "supervisor/runs/stored_runs.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Answers what somebody asks of a run: its triggers and decisions, and what its models were worth.
// Thread-safe.
class RunAnswers {
 public:
  // All must outlive this object.
  RunAnswers(db::Database& database, Downstream& downstream, const StoredRuns& runs)
      : database_(database), downstream_(downstream), runs_(runs) {}

  // NOT_FOUND for an unknown run. Asks the evaluator once there may be evaluations, and fails as
  // that does. A run with more than 10,000 decisions is shown with those that fired.
  absl::StatusOr<v1::GetRunResponse> Get(const v1::GetRunRequest& request) const;

 private:
  absl::Status AddAllDecisions(RunId run, v1::GetRunResponse& response) const;
  // What was measured.
  absl::Status AddValues(const RunRow& row, const RunState& state,
                         v1::GetRunResponse& response) const;

  db::Database& database_;
  Downstream& downstream_;
  const StoredRuns& runs_;
};

}  // namespace tidemill::supervisor

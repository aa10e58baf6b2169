// Shows what a run has done.
#pragma once

#include <optional>
#include <utility>
#include <vector>

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
  RunAnswers(db::Database& database, Downstream& downstream, const StoredRuns& runs,
             std::optional<rpc::v1::Prices> prices)
      : database_(database), downstream_(downstream), runs_(runs), prices_(std::move(prices)) {}

  // NOT_FOUND when the run is unknown. Asks the evaluator once there may be evaluations; its errors
  // are returned. For a run with more than 10,000 decisions, only those that fired are shown.
  absl::StatusOr<v1::GetRunResponse> Get(const v1::GetRunRequest& request) const;

  // Returns only the values of the run's models and of rules without one. The same errors.
  absl::StatusOr<v1::GetRunResponse> GetValues(RunId run) const;

 private:
  // The costs of the run, at the prices of the configuration or, if it has none, of the run.
  v1::RunCosts CostsOf(const std::vector<EventRow>& events) const;
  absl::Status AddAllDecisions(RunId run, v1::GetRunResponse& response) const;
  absl::Status AddModelChanges(const RunRow& row, v1::GetRunResponse& response) const;
  // Adds the values that were measured.
  absl::Status AddValues(RunId run, const PipelineSpec& spec, const RunState& state,
                         v1::GetRunResponse& response) const;

  db::Database& database_;
  Downstream& downstream_;
  const StoredRuns& runs_;
  const std::optional<rpc::v1::Prices> prices_;
};

}  // namespace tidemill::supervisor

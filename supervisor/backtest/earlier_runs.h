// Finds the costs and models of a pipeline's earlier runs, for a backtest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "db/database.h"
#include "supervisor/backtest/stored_models.h"
#include "supervisor/measuring/evaluation_matrix.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/runs_table.h"
#include "supervisor/runs/stored_runs.h"
#include "supervisor/triggers/training_cost.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Finds the cost of trainings and the value of models. Thread-safe.
class EarlierRuns {
 public:
  // All must outlive this object.
  EarlierRuns(db::Database& database, Downstream& downstream, const StoredRuns& runs)
      : database_(database), downstream_(downstream), runs_(runs) {}

  // Returns a forecast from the completed trainings of a pipeline, and describes them in `final`.
  // std::nullopt when there are none.
  absl::StatusOr<std::optional<TrainingForecast>> ForecastTrainings(
      const v1::Pipeline& pipeline, v1::WatchBacktestResponse::Final& final) const;

  // Returns the matrix of the requested run, or of the pipeline's last run with evaluations, and
  // describes it in `final`. std::nullopt when there is none. FAILED_PRECONDITION when the request
  // names a run or a measure and there is no evaluation by windows of time, and when the run is on
  // another dataset.
  absl::StatusOr<std::optional<EvaluationMatrix>> FindMatrix(
      const v1::WatchBacktestRequest& request, const v1::Pipeline& pipeline,
      v1::WatchBacktestResponse::Final& final) const;

  // Returns the models of the run whose matrix was found, when the request asks for them.
  // FAILED_PRECONDITION when there is no such run. Also returns the errors of StoredModels.
  absl::StatusOr<std::optional<StoredModels>> FindModels(
      const v1::WatchBacktestRequest& request, v1::WatchBacktestResponse::Final& final) const;

 private:
  // Returns the requested run, or all runs of the pipeline.
  absl::StatusOr<std::vector<RunRow>> RunsToAsk(const v1::WatchBacktestRequest& request,
                                                const v1::Pipeline& pipeline) const;
  absl::StatusOr<std::optional<ChosenMatrix>> MatrixOf(const RunRow& run,
                                                       const std::string& dataset,
                                                       const std::string& measure) const;

  db::Database& database_;
  Downstream& downstream_;
  const StoredRuns& runs_;
};

}  // namespace tidemill::supervisor

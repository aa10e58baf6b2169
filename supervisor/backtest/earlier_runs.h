// What the runs that a pipeline has had tell a backtest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "db/database.h"
#include "supervisor/measuring/evaluation_matrix.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/runs_table.h"
#include "supervisor/runs/stored_runs.h"
#include "supervisor/triggers/training_cost.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Finds what trainings took, and what models were worth. Thread-safe.
class EarlierRuns {
 public:
  // All must outlive this object.
  EarlierRuns(db::Database& database, Downstream& downstream, const StoredRuns& runs)
      : database_(database), downstream_(downstream), runs_(runs) {}

  // From the completed trainings of a pipeline, which it tells `final`; std::nullopt without any.
  absl::StatusOr<std::optional<TrainingForecast>> ForecastTrainings(
      const v1::Pipeline& pipeline, v1::WatchBacktestResponse::Final& final) const;

  // Of the run asked for, or of the last one of the pipeline that has evaluations, which it tells
  // `final`; std::nullopt without any. FAILED_PRECONDITION where the request names a run or a
  // measure and there is no evaluation by windows of time, and for a run on another dataset.
  absl::StatusOr<std::optional<EvaluationMatrix>> FindMatrix(
      const v1::WatchBacktestRequest& request, const v1::Pipeline& pipeline,
      v1::WatchBacktestResponse::Final& final) const;

 private:
  // The run asked for, or all of the pipeline.
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

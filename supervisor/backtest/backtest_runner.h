// Finds what policies would have done with the history of a pipeline's dataset.
#pragma once

#include <functional>

#include "base/status.h"
#include "db/database.h"
#include "supervisor/backtest/earlier_runs.h"
#include "supervisor/backtest/past_stream.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/stored_pipelines.h"
#include "supervisor/runs/stored_runs.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Runs backtests, each in the thread of its caller. Leaves nothing on disk. Thread-safe.
class BacktestRunner {
 public:
  // All must outlive this object.
  BacktestRunner(db::Database& database, Downstream& downstream, const StoredPipelines& pipelines,
                 const StoredRuns& runs)
      : downstream_(downstream), pipelines_(pipelines), earlier_(database, downstream, runs) {}

  // Tries the policies of the request and the pipeline's own policy. Reports to `progress` now and
  // then. INVALID_ARGUMENT when a policy cannot be read, or for too many shuffles. NOT_FOUND when
  // the pipeline is unknown. CANCELLED soon after `is_wanted` has returned false; it is asked
  // before each decision. Also returns the errors of Backtest, EarlierRuns and PastStream.
  absl::StatusOr<v1::WatchBacktestResponse::Final> Run(
      const v1::WatchBacktestRequest& request, const BacktestProgress& progress,
      const std::function<bool()>& is_wanted = [] { return true; }) const;

 private:
  // The pipeline that the request names or has.
  absl::StatusOr<v1::Pipeline> PipelineOf(const v1::WatchBacktestRequest& request) const;
  // The zone of the clock of the dataset that the pipeline trains on.
  absl::StatusOr<std::string> ZoneOf(const PipelineSpec& spec) const;

  Downstream& downstream_;
  const StoredPipelines& pipelines_;
  const EarlierRuns earlier_;
};

}  // namespace tidemill::supervisor

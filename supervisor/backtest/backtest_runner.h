// Answers what policies would have made of the history of a pipeline's dataset.
#pragma once

#include "base/status.h"
#include "db/database.h"
#include "supervisor/backtest/earlier_runs.h"
#include "supervisor/backtest/past_stream.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/stored_pipelines.h"
#include "supervisor/runs/stored_runs.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Carries out backtests, each in the thread of its caller. Leaves nothing behind. Thread-safe.
class BacktestRunner {
 public:
  // All must outlive this object.
  BacktestRunner(db::Database& database, Downstream& downstream, const StoredPipelines& pipelines,
                 const StoredRuns& runs)
      : downstream_(downstream), pipelines_(pipelines), earlier_(database, downstream, runs) {}

  // Tries the policies of the request beside the pipeline's own, and gives `progress` how far it is
  // now and then. INVALID_ARGUMENT for a policy that cannot be read and too many shuffles,
  // NOT_FOUND for an unknown pipeline, otherwise the errors of Backtest, EarlierRuns and
  // PastStream.
  absl::StatusOr<v1::WatchBacktestResponse::Final> Run(const v1::WatchBacktestRequest& request,
                                                       const BacktestProgress& progress) const;

 private:
  Downstream& downstream_;
  const StoredPipelines& pipelines_;
  const EarlierRuns earlier_;
};

}  // namespace tidemill::supervisor

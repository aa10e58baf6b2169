// Puts the parts of the supervisor together.
#pragma once

#include <memory>
#include <optional>

#include "db/database.h"
#include "supervisor/backtest/backtest_runner.h"
#include "supervisor/decisions/decision_answers.h"
#include "supervisor/pool/pool.h"
#include "supervisor/requests/annotations.h"
#include "supervisor/requests/conducted_runs.h"
#include "supervisor/requests/model_uses.h"
#include "supervisor/requests/named_files.h"
#include "supervisor/requests/removals.h"
#include "supervisor/requests/run_answers.h"
#include "supervisor/requests/run_control.h"
#include "supervisor/requests/run_lists.h"
#include "supervisor/requests/submissions.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/stored_pipelines.h"
#include "supervisor/runs/stored_runs.h"

namespace tidemill::supervisor {

// Owns one part for each task and connects the parts. A caller uses a part directly; the header of
// the part states its contract.
//
// After conducted_runs() has recovered, every RUNNING run has a conductor in this process. The
// state is in the database: what a part has answered survives the process. The errors are as in
// supervisor.proto. Thread-safe, because every part is.
class Supervisor {
 public:
  // `database` and `pool` must outlive this object. `connect` makes the connections of each run.
  // `connect_briefly` makes the connections for requests for which a user waits. `prices` are the
  // prices of the configuration.
  Supervisor(db::Database& database, DownstreamFactory connect,
             const DownstreamFactory& connect_briefly, Pool& pool,
             const std::optional<rpc::v1::Prices>& prices = std::nullopt);

  const StoredPipelines& pipelines() const { return pipelines_; }
  const StoredRuns& runs() const { return runs_; }
  ConductedRuns& conducted_runs() { return conducted_runs_; }
  const NamedFiles& named_files() const { return named_files_; }
  RunControl& run_control() { return run_control_; }
  Submissions& submissions() { return submissions_; }
  Removals& removals() { return removals_; }
  Annotations& annotations() { return annotations_; }
  ModelUses& model_uses() { return model_uses_; }
  const RunAnswers& run_answers() const { return run_answers_; }
  const RunLists& run_lists() const { return run_lists_; }
  const DecisionAnswers& decision_answers() const { return decision_answers_; }
  const BacktestRunner& backtests() const { return backtests_; }
  v1::ListDevicesResponse ListDevices() const {
    return downstream_->ListDevices(pool_.TrainerEndpoints());
  }

 private:
  // Each part comes before the parts that use it.
  const std::unique_ptr<Downstream> downstream_;
  Pool& pool_;
  const StoredPipelines pipelines_;
  const StoredRuns runs_;
  ConductedRuns conducted_runs_;
  const NamedFiles named_files_;
  RunControl run_control_;
  Submissions submissions_;
  Removals removals_;
  Annotations annotations_;
  ModelUses model_uses_;
  const RunAnswers run_answers_;
  const RunLists run_lists_;
  const DecisionAnswers decision_answers_;
  const BacktestRunner backtests_;
};

}  // namespace tidemill::supervisor

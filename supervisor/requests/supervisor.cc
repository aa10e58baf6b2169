#include "supervisor/requests/supervisor.h"

#include <utility>

namespace tidemill::supervisor {

Supervisor::Supervisor(db::Database& database, DownstreamFactory connect,
                       const DownstreamFactory& connect_briefly, Pool& pool,
                       const std::optional<rpc::v1::Prices>& prices)
    : downstream_(connect_briefly({})),
      pool_(pool),
      pipelines_(database),
      runs_(database),
      conducted_runs_(database, std::move(connect), pool, runs_),
      named_files_(database, *downstream_),
      run_control_(database, *downstream_, pool, runs_, conducted_runs_),
      submissions_(database, *downstream_, pool, runs_, conducted_runs_, run_control_, prices),
      removals_(database, *downstream_, pool, pipelines_, runs_, named_files_, conducted_runs_),
      annotations_(database),
      model_uses_(database),
      run_answers_(database, *downstream_, runs_, prices),
      run_lists_(database, [this](RunId run) { return run_answers_.GetValues(run); }),
      decision_answers_(database),
      backtests_(database, *downstream_, pipelines_, runs_) {}

}  // namespace tidemill::supervisor

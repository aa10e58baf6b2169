// Deletes runs and pipelines.
#pragma once

#include <string>

#include "base/status.h"
#include "db/database.h"
#include "supervisor/pool/pool.h"
#include "supervisor/requests/conducted_runs.h"
#include "supervisor/requests/named_files.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/stored_pipelines.h"
#include "supervisor/runs/stored_runs.h"

namespace tidemill::supervisor {

// Deletes runs and pipelines with everything that the services keep for them. When a deletion is
// interrupted, the next call completes it. FAILED_PRECONDITION when a run is RUNNING, and when a
// model that would be deleted is in use. Thread-safe.
class Removals {
 public:
  // All must outlive this object.
  Removals(db::Database& database, Downstream& downstream, Pool& pool,
           const StoredPipelines& pipelines, const StoredRuns& runs, const NamedFiles& files,
           ConductedRuns& conducted)
      : database_(database),
        downstream_(downstream),
        pool_(pool),
        pipelines_(pipelines),
        runs_(runs),
        files_(files),
        conducted_(conducted) {}

  // Returns whether the run existed.
  absl::StatusOr<bool> DeleteRun(RunId run);
  // Also deletes its runs. Returns whether the pipeline existed.
  absl::StatusOr<bool> DeletePipeline(const std::string& name_space, const std::string& name);

 private:
  // Begins an epoch in which no supervisor conducts the run, and none of its models can be put to
  // use. Returns a command of that epoch. FAILED_PRECONDITION when one of them is in use.
  absl::StatusOr<rpc::v1::Command> TakeFromConductor(const RunRow& row);

  db::Database& database_;
  Downstream& downstream_;
  Pool& pool_;
  const StoredPipelines& pipelines_;
  const StoredRuns& runs_;
  const NamedFiles& files_;
  ConductedRuns& conducted_;
};

}  // namespace tidemill::supervisor

// Runs and pipelines that are to be no more.
#pragma once

#include <string>

#include "base/status.h"
#include "db/database.h"
#include "supervisor/requests/conducted_runs.h"
#include "supervisor/requests/named_files.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/stored_pipelines.h"
#include "supervisor/runs/stored_runs.h"

namespace tidemill::supervisor {

// Deletes runs and pipelines with all that the services keep of them. What ends in the middle is
// deleted by the next call. FAILED_PRECONDITION for a run that is RUNNING. Thread-safe.
class Removals {
 public:
  // All must outlive this object.
  Removals(db::Database& database, Downstream& downstream, const StoredPipelines& pipelines,
           const StoredRuns& runs, const NamedFiles& files, ConductedRuns& conducted)
      : database_(database),
        downstream_(downstream),
        pipelines_(pipelines),
        runs_(runs),
        files_(files),
        conducted_(conducted) {}

  // Returns whether there was one.
  absl::StatusOr<bool> DeleteRun(RunId run);
  // With its runs. Returns whether there was one.
  absl::StatusOr<bool> DeletePipeline(const std::string& name_space, const std::string& name);

 private:
  // Begins an epoch in which nobody conducts the run; returns a command of it.
  absl::StatusOr<rpc::v1::Command> TakeFromConductor(RunId run);

  db::Database& database_;
  Downstream& downstream_;
  const StoredPipelines& pipelines_;
  const StoredRuns& runs_;
  const NamedFiles& files_;
  ConductedRuns& conducted_;
};

}  // namespace tidemill::supervisor

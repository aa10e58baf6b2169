// Pipelines that somebody sends to be run.
#pragma once

#include "base/status.h"
#include "db/database.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/requests/conducted_runs.h"
#include "supervisor/requests/run_control.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/runs_table.h"
#include "supervisor/runs/stored_runs.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Makes runs of pipelines. What was answered survives the process. Thread-safe.
class Submissions {
 public:
  // All must outlive this object.
  Submissions(db::Database& database, Downstream& downstream, const StoredRuns& runs,
              ConductedRuns& conducted, RunControl& control)
      : database_(database),
        downstream_(downstream),
        runs_(runs),
        conducted_(conducted),
        control_(control) {}

  // Begins a run, or goes on with the pipeline's last one where that is RUNNING or STOPPED and of
  // the same pipeline. The same request is answered alike, however often it comes. Fails as
  // CheckSubmission() does, and leaves nothing behind then; FAILED_PRECONDITION while a different
  // pipeline of the name is running.
  absl::StatusOr<v1::SubmitPipelineResponse> Submit(const v1::SubmitPipelineRequest& request);

 private:
  // Makes storage know the datasets that the pipeline defines.
  absl::Status RegisterDatasets(const PipelineSpec& spec, const rpc::v1::Command& command);
  // In a transaction: the run of the submission, new or found.
  absl::StatusOr<v1::SubmitPipelineResponse> FindOrCreate(pqxx::work& work,
                                                          const v1::SubmitPipelineRequest& request,
                                                          const PipelineSpec& spec);

  db::Database& database_;
  Downstream& downstream_;
  const StoredRuns& runs_;
  ConductedRuns& conducted_;
  RunControl& control_;
};

}  // namespace tidemill::supervisor

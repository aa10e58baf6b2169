// Takes pipelines that users submit.
#pragma once

#include <optional>
#include <utility>

#include "base/status.h"
#include "base/threads/places.h"
#include "db/database.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/pool/pool.h"
#include "supervisor/requests/conducted_runs.h"
#include "supervisor/requests/run_control.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/runs_table.h"
#include "supervisor/runs/stored_runs.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Makes runs from pipelines. An answer survives the process. Thread-safe.
class Submissions {
 public:
  // All must outlive this object.
  Submissions(db::Database& database, Downstream& downstream, Pool& pool, const StoredRuns& runs,
              ConductedRuns& conducted, RunControl& control, std::optional<rpc::v1::Prices> prices)
      : database_(database),
        downstream_(downstream),
        pool_(pool),
        runs_(runs),
        conducted_(conducted),
        control_(control),
        prices_(std::move(prices)) {}

  // Starts a run. If the pipeline's last run is RUNNING or STOPPED and has the same pipeline,
  // continues that run. A submission with a place in a sweep gets the run
  // that has that place, whatever its state, or starts one beside others. The same request always
  // gets the same answer. RESOURCE_EXHAUSTED when too many submissions are being checked, after a
  // wait. Also returns the errors of CheckSubmission(). After an error, nothing has changed.
  // FAILED_PRECONDITION while a different pipeline of that name is running, and when a dataset is
  // to get a new version while a run uses it.
  absl::StatusOr<v1::SubmitPipelineResponse> Submit(const v1::SubmitPipelineRequest& request);

 private:
  // A check may start a process for each plug-in that the pipeline names.
  static constexpr int kMaxChecks = 8;
  // Waits for a place among the submissions that are checked, and checks this one.
  absl::StatusOr<PipelineSpec> Check(const v1::SubmitPipelineRequest& request);
  // Registers the datasets that the pipeline defines with storage.
  absl::Status RegisterDatasets(const PipelineSpec& spec, const v1::SubmitPipelineRequest& request);
  // Whether no run that is in progress uses a dataset that the pipeline defines.
  absl::Status CheckUnused(const PipelineSpec& spec) const;
  // Finds or creates the run of the submission, in a transaction.
  absl::StatusOr<v1::SubmitPipelineResponse> FindOrCreate(pqxx::work& work,
                                                          const v1::SubmitPipelineRequest& request,
                                                          const PipelineSpec& spec);
  // The same for a submission with a place in a sweep.
  absl::Status FindOrCreateInSweep(pqxx::work& work, const v1::SubmitPipelineRequest& request,
                                   const PipelineSpec& spec, const PipelineName& name,
                                   v1::SubmitPipelineResponse& response);

  db::Database& database_;
  Downstream& downstream_;
  Pool& pool_;
  const StoredRuns& runs_;
  ConductedRuns& conducted_;
  RunControl& control_;
  const std::optional<rpc::v1::Prices> prices_;
  Places checks_{kMaxChecks};
};

}  // namespace tidemill::supervisor

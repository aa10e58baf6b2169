// Checks a pipeline that was submitted.
#pragma once

#include "base/status.h"
#include "supervisor/checks/pipeline_check.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/pool/pool.h"
#include "supervisor/runs/downstream.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Returns the pipeline of a submission. It has neither its files nor access to data.
PipelineSource SourceOf(const v1::SubmitPipelineRequest& request);

// Reads the pipeline of a submission. Storage supplies the registered datasets and the beginnings
// of their files. No file is opened here. INVALID_ARGUMENT with every problem at file:line:column.
// If a service could not be asked and the pipeline may otherwise be valid, returns the status of
// that service.
absl::StatusOr<PipelineSpec> CheckSubmission(const v1::SubmitPipelineRequest& request,
                                             Downstream& downstream, Pool& pool);

}  // namespace tidemill::supervisor

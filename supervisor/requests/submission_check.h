// Judges a pipeline that was sent.
#pragma once

#include "base/status.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/downstream.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Reads the pipeline of a submission. Storage says which datasets there are and how they begin, and
// nothing is opened here. INVALID_ARGUMENT with every problem at file:line:column; the status of a
// service that could not be asked where the pipeline may be sound for all that is known.
absl::StatusOr<PipelineSpec> CheckSubmission(const v1::SubmitPipelineRequest& request,
                                             Downstream& downstream);

}  // namespace tidemill::supervisor

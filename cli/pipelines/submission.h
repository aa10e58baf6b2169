// Sends a pipeline to a stack, which makes a run of it.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "cli/pipelines/pipeline_file.h"
#include "cli/stack/session.h"
#include "supervisor/pipeline/disk_files.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Submits a pipeline that was checked; `files` are those that the check has read. A pipeline of the
// same name whose last run is in progress or stopped goes on with that run. `max_triggers` is 0 for
// no limit. The codes are those of SubmitPipeline.
absl::StatusOr<supervisor::v1::SubmitPipelineResponse> SubmitPipeline(
    const Session& session, const PipelineFile& file, const supervisor::DiskFiles& files,
    int64_t max_triggers);

}  // namespace tidemill::cli

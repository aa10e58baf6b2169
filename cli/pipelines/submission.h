// Sends a pipeline to a stack, which starts a run of it.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "cli/pipelines/pipeline_file.h"
#include "cli/stack/session.h"
#include "supervisor/pipeline/disk_files.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Submits a pipeline that was checked; `files` are the files that the check has read. A pipeline of
// the same name whose last run is in progress or stopped continues with that run. `max_triggers` is
// 0 for no limit. The codes are as in SubmitPipeline.
absl::StatusOr<supervisor::v1::SubmitPipelineResponse> SubmitPipeline(
    const Session& session, const PipelineFile& file, const supervisor::DiskFiles& files,
    int64_t max_triggers, storage::v1::OnOtherSpec on_other_spec);

}  // namespace tidemill::cli

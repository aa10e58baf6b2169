// Checks a request for a job.
#pragma once

#include "base/status.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// INVALID_ARGUMENT for a job without batches or with impossible lanes.
absl::Status CheckJob(const v1::CreateJobRequest& request);

}  // namespace tidemill::preprocess

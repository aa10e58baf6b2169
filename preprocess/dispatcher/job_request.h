// A request for a job: its check, and what workers are to know of the job.
#pragma once

#include <optional>

#include "base/status.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// INVALID_ARGUMENT for a job without batches or with impossible lanes.
absl::Status CheckJob(const v1::CreateJobRequest& request);

// Returns what JobsTable::Get() reads of the job that this request has made, to keep it in memory.
// std::nullopt when it takes more than 64 KiB.
std::optional<v1::GetJobResponse> AnswerToKeep(const v1::CreateJobRequest& request,
                                               const std::optional<rpc::v1::JobClaims>& scope);

}  // namespace tidemill::preprocess

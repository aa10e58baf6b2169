// Folders of triggers as versions before 0.8 left them: job.yaml, result.yaml and stored.yaml. They
// are read where this version's files are missing, so that a training goes on from its checkpoint,
// and a model is stored, whichever version began it. Nothing writes such files any more.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::trainer_server {

inline constexpr std::string_view kOldJobFile = "job.yaml";
inline constexpr std::string_view kOldResultFile = "result.yaml";
inline constexpr std::string_view kOldStoredFile = "stored.yaml";

// All: NOT_FOUND; DATA_LOSS for a file that says something else.

// DONE or FAILED.
absl::StatusOr<v1::WatchTrainingResponse> ReadOldResult(const std::string& folder);
// As it was asked for; of the command, the run.
absl::StatusOr<v1::StartTrainingRequest> ReadOldTraining(const std::string& folder);
absl::StatusOr<v1::StoreModelResponse> ReadOldStored(const std::string& folder);

}  // namespace tidemill::trainer_server

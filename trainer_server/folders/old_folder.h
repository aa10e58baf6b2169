// Reads the folders of triggers that versions before 0.8 left: job.yaml, result.yaml and
// stored.yaml. They are read when this version's files are missing. A training then continues from
// its checkpoint, and a model is stored, whichever version began it. Nothing writes such files any
// more.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::trainer_server {

inline constexpr std::string_view kOldJobFile = "job.yaml";
inline constexpr std::string_view kOldResultFile = "result.yaml";
inline constexpr std::string_view kOldStoredFile = "stored.yaml";

// All return NOT_FOUND when the file is missing, and DATA_LOSS when it is invalid.

// The result is DONE or FAILED.
absl::StatusOr<v1::WatchTrainingResponse> ReadOldResult(const std::string& folder);
// Returns the request. Its command contains only the run.
absl::StatusOr<v1::StartTrainingRequest> ReadOldTraining(const std::string& folder);
absl::StatusOr<v1::StoreModelResponse> ReadOldStored(const std::string& folder);

}  // namespace tidemill::trainer_server

// What the token of a job opens.
#pragma once

#include <string>

#include "base/status.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::trainer_server {

// Returns the claims of the job that a trigger's folder describes: a fit, or else a training. A job
// reads its training set and its dataset. One that trains reads the model that it continues, and
// the file of its network. The caller names the holder. Errors of ReadMessage().
absl::StatusOr<rpc::v1::JobClaims> ClaimsOfJob(bool is_fit, const std::string& folder);

}  // namespace tidemill::trainer_server

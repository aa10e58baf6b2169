// From a YAML file with a `datasets:` section to what storage is asked to register.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/stack/session.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::cli {

// One request for each dataset of the file, with absolute paths; the file's folder and
// TIDEMILL_DATA become readable for a local stack's storage. INVALID_ARGUMENT lists the problems.
absl::StatusOr<std::vector<storage::v1::RegisterDatasetRequest>> RegistrationsOf(
    const std::string& path, const Session& session);

}  // namespace tidemill::cli

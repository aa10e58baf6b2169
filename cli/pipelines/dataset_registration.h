// Turns a YAML file with a `datasets:` section into requests to register them.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/stack/session.h"
#include "config/documents/source.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::cli {

// Returns one request for each dataset of the file with these values, with absolute paths. A local
// stack's storage may then read the file's folder and TIDEMILL_DATA. INVALID_ARGUMENT lists the
// problems.
absl::StatusOr<std::vector<storage::v1::RegisterDatasetRequest>> RegistrationsOf(
    const std::string& path, const std::vector<config::Override>& overrides,
    const Session& session);

}  // namespace tidemill::cli

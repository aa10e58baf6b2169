// A network's file on its way to a stack.
#pragma once

#include "base/status.h"
#include "cli/stack/session.h"
#include "supervisor/pipeline/disk_files.h"

namespace tidemill::cli {

// Sends the file to the supervisor, which keeps it by its digest; a stack that has it takes no
// bytes. Codes as SendNetwork; FAILED_PRECONDITION when the file changed since it was looked at.
absl::Status SendNetwork(const Session& session, const supervisor::DiskFiles::Network& network);

}  // namespace tidemill::cli

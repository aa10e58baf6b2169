// Sends the file of a network to a stack.
#pragma once

#include "base/status.h"
#include "cli/stack/session.h"
#include "supervisor/pipeline/disk_files.h"

namespace tidemill::cli {

// Sends the file to the supervisor, which stores it by its digest. When the stack has it already,
// no bytes are sent. The codes are as in SendNetwork. FAILED_PRECONDITION when the file has changed
// since it was checked.
absl::Status SendNetwork(const Session& session, const supervisor::DiskFiles::Network& network);

}  // namespace tidemill::cli

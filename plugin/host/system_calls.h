// Which system calls a plug-in is refused.
#pragma once

#include "base/status.h"

namespace tidemill::plugin::host {

enum class MayExecute { kNo, kYes };

// From here on this process, and what it executes, gets an error (EPERM, or EACCES from open) for
// sockets, for new processes and signals to others, for all that changes the file system, for
// memory beyond its limit (shared anonymous, memfd, System V), for its own limits, and for what
// digs in the kernel. Threads and reading stay allowed. FAILED_PRECONDITION where the kernel has no
// filters.
absl::Status RefuseSystemCalls(MayExecute may_execute);

}  // namespace tidemill::plugin::host

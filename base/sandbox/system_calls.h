// Which system calls the code of a user is refused.
#pragma once

#include "base/status.h"

namespace tidemill::sandbox {

enum class MayExecute { kNo, kYes };
enum class MayOpen { kNo, kYes };

// From here on all threads of this process and what it executes get an error (EPERM, or
// EACCES from open) for sockets, for new processes and signals to others, for all that changes the
// file system, for memory beyond its limit (shared anonymous, memfd, System V), for its own limits,
// and for what digs in the kernel. Threads and reading stay allowed. FAILED_PRECONDITION where the
// kernel has no filters, or the process has not given up new rights (PR_SET_NO_NEW_PRIVS).
// With MayOpen::kNo no file is opened at all, for who has no other way to keep files apart.
absl::Status RefuseSystemCalls(MayExecute may_execute, MayOpen may_open = MayOpen::kYes);

// As above for a job, which writes files of its own and speaks with services: those stay allowed,
// as does memory. It starts no process.
absl::Status RefuseSystemCallsOfJob();

}  // namespace tidemill::sandbox

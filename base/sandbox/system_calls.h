// Restricts the system calls of users' code.
#pragma once

#include "base/status.h"

namespace tidemill::sandbox {

enum class MayExecute { kNo, kYes };
enum class MayOpen { kNo, kYes };
enum class MayStart { kNo, kYes };

// From here on all threads of this process and the programs that it executes get an error (EPERM,
// or EACCES from open) for sockets, for new processes and signals to others, for every call that
// changes the file system, for memory beyond its limit (shared anonymous, memfd, System V), for its
// own limits, and for calls that inspect the kernel. Threads and reading stay allowed.
// FAILED_PRECONDITION if the kernel has no filters, or the process has not set PR_SET_NO_NEW_PRIVS.
// With MayOpen::kNo no file can be opened at all, for callers that have no other way to protect
// files.
absl::Status RefuseSystemCalls(MayExecute may_execute, MayOpen may_open = MayOpen::kYes);

// Does the same for a job, which writes its own files and calls services: files, sockets and memory
// stay allowed. It cannot start a process, unless it may: then it can also signal processes, but
// look into none.
absl::Status RefuseSystemCallsOfJob(MayStart may_start = MayStart::kNo);

}  // namespace tidemill::sandbox

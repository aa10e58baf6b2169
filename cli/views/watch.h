// Follows a run until it ends.
#pragma once

#include "base/status.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

enum class WatchEnd {
  kFinished,
  kDetached,  // Ctrl-C: the run continues.
};

// Shows a run's events and progress on stderr until its final state. When the supervisor restarts,
// or the connection breaks because it does not answer for a while, it reconnects and continues
// where it was, and says so. UNAVAILABLE when the supervisor stays away for a minute; for half an
// hour, when a local stack still has its keeper. The first Ctrl-C detaches and prints how to come
// back. A second one within two seconds stops the run.
absl::StatusOr<WatchEnd> WatchRun(const Session& session, int64_t run, bool quiet);

// Watches a run, prints its result on stdout, and returns the exit code for it. `full` prints the
// whole result, however large.
int FollowRun(const Session& session, int64_t run, bool quiet, bool json, bool full);

}  // namespace tidemill::cli

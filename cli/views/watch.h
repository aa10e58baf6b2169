// Follows a run until it ends.
#pragma once

#include "base/status.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

enum class WatchEnd {
  kFinished,
  kDetached,  // Ctrl-C: the run goes on.
};

// Streams a run's events and progress to stderr until its final state. Reconnects where it left off
// when the supervisor restarts; UNAVAILABLE when it stays away for a minute. The first Ctrl-C
// detaches and prints how to come back; a second within two seconds stops the run.
absl::StatusOr<WatchEnd> WatchRun(const Session& session, int64_t run, bool quiet);

// Watches a run, prints its result on stdout and returns the exit code that it calls for.
// `full`: all of the result, however large.
int FollowRun(const Session& session, int64_t run, bool quiet, bool json, bool full);

}  // namespace tidemill::cli

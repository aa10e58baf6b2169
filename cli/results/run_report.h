// The result of a run, as `run` and `runs show` print it.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/stack/session.h"
#include "cli/terminal/view.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

absl::StatusOr<supervisor::v1::GetRunResponse> FetchRun(const Session& session, int64_t run);
absl::StatusOr<supervisor::v1::GetRunResponse> FetchRunWithEvents(const Session& session,
                                                                  int64_t run);

// Triggers, matrices and at the end what was reached, for people, in the room of a view.
std::string DescribeRun(const supervisor::v1::GetRunResponse& run, const View& view);

// Of a list with one entry a trigger those that are shown: all, or where they are many the first
// and the last ones.
inline constexpr size_t kMostListed = 16;
inline constexpr size_t kFirstListed = 4;
inline constexpr size_t kLastListed = 8;

// Fetches the run, prints it on stdout and returns the exit code that its state calls for. `full`:
// everything, however large.
int PrintRun(const Session& session, int64_t run, bool json, bool full);

}  // namespace tidemill::cli

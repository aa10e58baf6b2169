// The result of a run, in the form that `run` and `runs show` print.
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

// Describes triggers, matrices and the final result for people, in the room of a view.
std::string DescribeRun(const supervisor::v1::GetRunResponse& run, const View& view);

// In a list with one entry per trigger, all are shown up to this number. With more, the first and
// the last ones are shown.
inline constexpr size_t kMaxListed = 16;
inline constexpr size_t kFirstListed = 4;
inline constexpr size_t kLastListed = 8;

// Fetches the run, prints it on stdout, and returns the exit code for its state. `full` prints
// everything, however large.
int PrintRun(const Session& session, int64_t run, bool json, bool full);

}  // namespace tidemill::cli

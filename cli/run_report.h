// The result of a run, as `run` and `runs show` print it.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/session.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

absl::StatusOr<supervisor::v1::GetRunResponse> FetchRun(const Session& session, int64_t run);
absl::StatusOr<supervisor::v1::GetRunResponse> FetchRunWithEvents(const Session& session,
                                                                  int64_t run);

// Triggers, matrices and a closing line for people.
std::string DescribeRun(const supervisor::v1::GetRunResponse& run, bool paint);

// Fetches the run, prints it on stdout and returns the exit code that its state calls for.
int PrintRun(const Session& session, int64_t run, bool json);

}  // namespace tidemill::cli

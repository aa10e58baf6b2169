#include "cli/command_line/with_session.h"

#include <algorithm>
#include <cstdio>

#include "cli/terminal/view.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

// Unknown counts as going on.
bool AnyRunGoesOn(const Session& session) {
  v1::ListRunsResponse response;
  const absl::Status status = session.Call<v1::SupervisorService>(
      "supervisor", &v1::SupervisorService::Stub::ListRuns, v1::ListRunsRequest(), &response);
  if (!status.ok()) return true;
  return std::any_of(response.runs().begin(), response.runs().end(),
                     [](const v1::Run& run) { return run.state() == v1::RUN_STATE_RUNNING; });
}

}  // namespace

void LeaveStack(const Session& session, bool quiet) {
  // What there is to read is read while the stack ends.
  std::fflush(stdout);
  StackUse* use = session.use();
  if (use == nullptr || !use->IsLast()) return;
  if (AnyRunGoesOn(session)) {
    if (!quiet) SayAside("the stack stays up because a run goes on\n");
    return;
  }
  if (const absl::Status ended = use->End(); !ended.ok()) Report(ended);
}

}  // namespace tidemill::cli

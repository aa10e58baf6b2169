#include "cli/command_line/with_session.h"

#include <cstdio>

#include "cli/terminal/view.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

// Unknown counts as going on.
bool AnyRunGoesOn(const Session& session) {
  v1::ListRunsRequest running;
  running.add_states(v1::RUN_STATE_RUNNING);
  running.set_limit(1);
  const auto listed = session.Ask(&supervisor::SupervisorClient::FindRuns, running);
  return !listed.ok() || !listed->runs().empty();
}

}  // namespace

void LeaveStack(const Session& session, bool quiet) {
  // Reads the remaining output while the stack ends.
  std::fflush(stdout);
  StackUse* use = session.use();
  if (use == nullptr || !use->IsLast()) return;
  if (AnyRunGoesOn(session)) {
    if (!quiet) PrintToStderr("the stack stays up because a run continues\n");
    return;
  }
  if (const absl::Status ended = use->End(); !ended.ok()) ReportNonFatal(ended);
}

}  // namespace tidemill::cli

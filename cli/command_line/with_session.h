// Runs the body of a command that needs a stack.
#pragma once

#include "cli/command_line/action.h"
#include "cli/stack/session.h"
#include "cli/terminal/exit_codes.h"

namespace tidemill::cli {

// Ends a local stack that is there only for commands like this one, unless others use it or a run
// goes on. To be called once a command has no more questions.
void LeaveStack(const Session& session, bool quiet);

// Calls `body(session)` and returns its exit code, or reports what keeps a session from being had.
// Where no stack runs, but one has, it is started for this command alone.
template <typename Body>
int WithSession(const GlobalFlags& flags, const Body& body) {
  const auto session = Session::AttachOrStart(flags, StartStackOf::kEarlierWork, flags.quiet);
  if (!session.ok()) return Report(session.status());
  const int code = body(*session);
  LeaveStack(*session, flags.quiet);
  return code;
}

// The same for a command that makes one request, `body(session, request)`, of what it was given.
template <typename Request, typename Body>
int WithSession(const GlobalFlags& flags, const absl::StatusOr<Request>& request,
                const Body& body) {
  if (!request.ok()) return Report(request.status());
  return WithSession(flags, [&](const Session& session) -> int { return body(session, *request); });
}

}  // namespace tidemill::cli

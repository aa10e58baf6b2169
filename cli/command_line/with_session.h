// Runs the body of a command that needs a stack.
#pragma once

#include "cli/command_line/action.h"
#include "cli/stack/session.h"
#include "cli/terminal/exit_codes.h"

namespace tidemill::cli {

// Ends a local stack that was started only for commands like this one, unless others use it or a
// run is in progress. Call it after a command's last request.
void LeaveStack(const Session& session, bool quiet);

// Calls `body(session)` and returns its exit code. Reports an error when no session can be opened.
// When no stack runs, but one has run before, starts it for this command only.
template <typename Body>
int WithSession(const GlobalFlags& flags, const Body& body) {
  const auto session = Session::AttachOrStart(flags, StartStackOf::kEarlierWork, flags.quiet);
  if (!session.ok()) return Report(session.status());
  const int code = body(*session);
  LeaveStack(*session, flags.quiet);
  return code;
}

// Does the same for a command with one request: `body(session, request)`.
template <typename Request, typename Body>
int WithSession(const GlobalFlags& flags, const absl::StatusOr<Request>& request,
                const Body& body) {
  if (!request.ok()) return Report(request.status());
  return WithSession(flags, [&](const Session& session) -> int { return body(session, *request); });
}

}  // namespace tidemill::cli

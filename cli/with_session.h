// Runs the body of a command that needs a running stack.
#pragma once

#include "cli/command_line.h"
#include "cli/exit_codes.h"
#include "cli/session.h"

namespace tidemill::cli {

// Calls `body(session)` and returns its exit code, or reports what keeps a session from being had.
template <typename Body>
int WithSession(const GlobalFlags& flags, const Body& body) {
  const auto session = Session::Attach(flags);
  if (!session.ok()) return Report(session.status());
  return body(*session);
}

// The same for a command that makes one request, `body(session, request)`, of what it was given.
template <typename Request, typename Body>
int WithSession(const GlobalFlags& flags, const absl::StatusOr<Request>& request,
                const Body& body) {
  if (!request.ok()) return Report(request.status());
  return WithSession(flags, [&](const Session& session) -> int { return body(session, *request); });
}

}  // namespace tidemill::cli

// Runs the body of a command on a run that its user names.
#pragma once

#include <string>

#include "cli/command_line/names.h"
#include "cli/command_line/with_session.h"

namespace tidemill::cli {

// Calls `body(session, run)` with the number of the run, as WithSession() does. Reports an error
// when the name means none.
template <typename Body>
int WithRun(const GlobalFlags& flags, const std::string& name, const Body& body) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto run = FindRun(session, name);
    if (!run.ok()) return Report(run.status());
    return body(session, run->value);
  });
}

}  // namespace tidemill::cli

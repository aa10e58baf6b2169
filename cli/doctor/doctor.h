// Finds the problems of a stack, and the commands that fix them.
#pragma once

#include <string>

#include "cli/stack/finding.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

// Examines everything that a stack needs. Starts and changes nothing. For a remote stack, examines
// its services, certificates, token and database, but not its machines. Takes seconds at most. With
// `service`, only checks whether that one answers.
Findings Examine(const StackAddress& address, const std::string& service = "");

}  // namespace tidemill::cli

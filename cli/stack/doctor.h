// What is wrong with a stack, and the command that mends it.
#pragma once

#include <string>

#include "cli/stack/finding.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

// Looks at everything a stack needs; starts and changes nothing. A remote stack's services,
// certificates, token and database are looked at, not its machines. Takes seconds at most. With
// `service`, only whether that one answers.
Findings Examine(const StackAddress& address, const std::string& service = "");

}  // namespace tidemill::cli

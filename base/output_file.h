// Files that users name for what a command makes.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::files {

// Writes `bytes` to where a user wants them. Links are followed; a file that is there or not yet is
// replaced as a whole, by WriteAtomically(); what else stands there (a pipe, a terminal, /dev/null)
// is written into. FAILED_PRECONDITION for a folder, RESOURCE_EXHAUSTED when there is no room.
absl::Status WriteOutput(const std::string& path, std::string_view bytes);

}  // namespace tidemill::files

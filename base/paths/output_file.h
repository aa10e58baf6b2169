// Writes the files that users name for the output of a command.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::files {

// Writes `bytes` to the path that a user gave. Links are followed. A regular file, or a new one, is
// written as a whole by WriteAtomically(). Anything else (a pipe, a terminal, /dev/null) is written
// into. FAILED_PRECONDITION for a folder. UNAVAILABLE when there is no room
// (disk_full.h).
absl::Status WriteOutput(const std::string& path, std::string_view bytes);

}  // namespace tidemill::files

// The categories of a one_hot op that stand in a file of their own.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::supervisor {

// The lines of a text file, in order; blank ones and carriage returns at the ends are left out.
// INVALID_ARGUMENT for a file that cannot be read, is above 256 KiB, has no lines or more than
// 20,000, the same one twice, or bytes that a YAML document cannot hold.
absl::StatusOr<std::vector<std::string>> ReadCategories(const std::string& path);

}  // namespace tidemill::supervisor

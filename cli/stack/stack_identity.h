// Ties a state folder to its private database, which for root is elsewhere. A state folder that was
// moved finds its database again, and never takes one that belongs to another. Both contain a file
// `identity` with the same number and the path of the other.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/stack/local_stack.h"

namespace tidemill::cli {

// Returns the path of the database in a state folder's identity file. Empty when there is none.
std::string KnownDatabaseFolder(const std::string& state_folder);

// OK when the two belong together, or when there is nothing yet. FAILED_PRECONDITION says what is
// wrong (the database is gone, it belongs to another state folder, the state folder is a copy) and
// what to do.
absl::Status CheckIdentity(const StackLayout& layout);

// Writes both files when they are not up to date. The database folder must exist.
absl::Status KeepIdentity(const StackLayout& layout);

}  // namespace tidemill::cli

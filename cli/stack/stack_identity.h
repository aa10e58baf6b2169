// Ties a state folder to its private database, which for root lies elsewhere: a folder that was
// moved finds its database again, and none is taken for another's. Both hold a file `identity` with
// the same number and the place of the other.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/stack/local_stack.h"

namespace tidemill::cli {

// Where a state folder says that its database is; empty when it does not say.
std::string KnownDatabaseFolder(const std::string& state_folder);

// OK when the two belong together, or there is nothing yet that could belong to anything.
// FAILED_PRECONDITION says what is wrong (the database is gone, it is another state folder's, the
// state folder is a copy) and what to do.
absl::Status CheckIdentity(const StackLayout& layout);

// Writes both files where they do not say what is so. The database folder must be there.
absl::Status KeepIdentity(const StackLayout& layout);

}  // namespace tidemill::cli

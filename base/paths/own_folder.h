// Folders that belong to this user alone. In /dev/shm and /tmp every user may make a folder, also
// one with the name that this program is going to use.
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::files {

// Makes a folder with mode 0700, unless it is there. Its parent must be there. UNAVAILABLE when the
// parent is missing, or when the folder is removed meanwhile; RESOURCE_EXHAUSTED when it cannot be
// made; the errors of CheckOwnFolder().
absl::Status MakeOwnFolder(const std::string& path);

// PERMISSION_DENIED, with the reason, when there is something else at `path` than a folder that
// only this user can read and write: a symbolic link, a file, a folder of another user, or one that
// is open to others. NOT_FOUND when there is nothing.
absl::Status CheckOwnFolder(const std::string& path);

}  // namespace tidemill::files

// Restricts the files that a process can reach by Landlock: rules of the kernel that a process sets
// for itself, without root, and can never remove.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::sandbox {

struct AllowedFiles {
  // Folders, with everything below them, or files that may be read and executed. Paths that do not
  // exist are left out.
  std::vector<std::string> readable = {};
  // These may also be written, and files in them may be created and removed.
  std::vector<std::string> writable = {};
  // Whether TCP ports may be connected to and bound, where the kernel can refuse it (6.7).
  bool may_use_network = false;
};

// Whether the kernel has Landlock and it is enabled.
bool HasLandlock();

// From here on this thread, the threads that it starts and the programs that it executes can reach
// only these files, and (from Linux 6.12) can signal only one another. Files that are open stay
// open. The process must have set PR_SET_NO_NEW_PRIVS. FAILED_PRECONDITION if the kernel has no
// Landlock or refuses.
absl::Status RestrictFiles(const AllowedFiles& files);

// Returns the folders and files that every program needs: the libraries of the system, and the
// devices without hardware, such as /dev/null.
std::vector<std::string> SystemFolders();

}  // namespace tidemill::sandbox

// Which files a process may reach, by Landlock: rules of the kernel that a process makes for
// itself, without root, and can never take back.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::sandbox {

struct AllowedFiles {
  // Folders, with all below them, or files, that are read and executed. What is not there is left
  // out.
  std::vector<std::string> readable = {};
  // These are also written, and files in them are made and removed.
  std::vector<std::string> writable = {};
  // Whether TCP ports may be connected to and bound, where the kernel can refuse it (6.7).
  bool may_use_network = false;
};

// Whether the kernel has Landlock, and it is switched on.
bool HasLandlock();

// From here on this thread, those that it starts and what it executes reach these files only, and
// (from Linux 6.12) signal only one another. Files that are open stay open. The process must have
// given up new rights (PR_SET_NO_NEW_PRIVS). FAILED_PRECONDITION where the kernel has no Landlock
// or refuses.
absl::Status RestrictFiles(const AllowedFiles& files);

// What a program needs for itself wherever it runs: the libraries of the system, and the devices
// that are no devices.
std::vector<std::string> SystemFolders();

}  // namespace tidemill::sandbox

// The lock on a folder in which one process at a time makes something.
#pragma once

#include <string>

#include "base/descriptor.h"

namespace tidemill::db {

// Waits for the lock, and holds it while it lives. Holds nothing if the folder cannot be opened.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);

 private:
  const Descriptor file_;
};

}  // namespace tidemill::db

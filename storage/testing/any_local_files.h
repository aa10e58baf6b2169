// All files of this machine, for tests of what reads them.
#pragma once

#include <memory>

#include "storage/filesystems/file_system.h"

namespace tidemill::storage::testing {

inline LocalFiles& AnyLocalFiles() {
  static LocalFiles files(std::make_shared<AllowedRoots>(AllowedRootsOptions{.roots = {"/"}}));
  return files;
}

}  // namespace tidemill::storage::testing

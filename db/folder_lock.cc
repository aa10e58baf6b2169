#include "db/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace tidemill::db {

FolderLock::FolderLock(const std::string& folder)
    : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (file_.is_open() && ::flock(file_.number(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

}  // namespace tidemill::db

#include "base/paths/own_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tidemill::files {

absl::Status CheckOwnFolder(const std::string& path) {
  struct stat about = {};
  if (lstat(path.c_str(), &about) != 0) {
    return NotFound("cannot look at {}: {}", path, std::strerror(errno));
  }
  if (S_ISLNK(about.st_mode)) return PermissionDenied("{} is a symbolic link", path);
  if (!S_ISDIR(about.st_mode)) return PermissionDenied("{} is not a folder", path);
  if (about.st_uid != geteuid()) {
    return PermissionDenied("{} belongs to user {}, and this is user {}", path, about.st_uid,
                            geteuid());
  }
  if ((about.st_mode & 077U) != 0) {
    return PermissionDenied("{} is open to other users: its mode is {:o}, not 700", path,
                            about.st_mode & 0777U);
  }
  return absl::OkStatus();
}

absl::Status MakeOwnFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    if (errno == ENOENT) return Unavailable("cannot make {}: its parent is missing", path);
    return ResourceExhausted("cannot make {}: {}", path, std::strerror(errno));
  }
  absl::Status own = CheckOwnFolder(path);
  if (absl::IsNotFound(own)) return Unavailable("{} was removed", path);
  return own;
}

}  // namespace tidemill::files

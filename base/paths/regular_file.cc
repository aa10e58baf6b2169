#include "base/paths/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/whole_io.h"

namespace tidemill::files {

absl::StatusOr<Descriptor> OpenRegular(int folder, const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Descriptor file(::openat(folder, path.c_str(), kFlags));
  struct stat info = {};
  if (file.is_open() && ::fstat(file.number(), &info) == 0) {
    if (S_ISREG(info.st_mode)) return file;
    return FailedPrecondition("{} is not a regular file", path);
  }
  const std::string reason = std::strerror(errno);
  switch (errno) {
    case ELOOP:
      return FailedPrecondition("{} is a link, not a regular file", path);
    case ENXIO:  // A socket, or a device without a driver.
      return FailedPrecondition("{} is not a regular file", path);
    case ENOENT:
    case ENOTDIR:
      return NotFound("cannot open {}: {}", path, reason);
    case EACCES:
    case EPERM:
      return PermissionDenied("cannot open {}: {}", path, reason);
    default:
      return Internal("cannot open {}: {}", path, reason);
  }
}

absl::StatusOr<std::string> ReadRegular(const Descriptor& file, const std::string& path,
                                        size_t max_bytes) {
  struct stat info = {};
  if (::fstat(file.number(), &info) != 0) {
    return Internal("cannot examine {}: {}", path, std::strerror(errno));
  }
  if (static_cast<uint64_t>(info.st_size) > max_bytes) {
    return ResourceExhausted("{} has {} bytes, but at most {} are read", path, info.st_size,
                             max_bytes);
  }
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  const ssize_t size = ReadWholeAt(file.number(), bytes, 0);
  if (size < 0) return Internal("cannot read {}: {}", path, std::strerror(errno));
  bytes.resize(static_cast<size_t>(size));
  return bytes;
}

absl::StatusOr<std::string> ReadRegular(const std::string& path, size_t max_bytes) {
  ASSIGN_OR_RETURN(const Descriptor file, OpenRegular(AT_FDCWD, path));
  return ReadRegular(file, path, max_bytes);
}

}  // namespace tidemill::files

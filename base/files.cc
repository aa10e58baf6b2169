#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/descriptor.h"
#include "base/disk_full.h"
#include "base/whole_io.h"

namespace tidemill::files {
namespace {

namespace fs = std::filesystem;

absl::Status FromErrno(int error, std::string_view doing, const std::string& path) {
  const std::string reason = std::strerror(error);
  if (IsNoRoom(error)) return DiskFull(fmt::format("cannot {} {}: {}", doing, path, reason));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return NotFound("cannot {} {}: {}", doing, path, reason);
    case EACCES:
    case EPERM:
    case EROFS:
      return PermissionDenied("cannot {} {}: {}", doing, path, reason);
    case EFBIG:
      return ResourceExhausted("cannot {} {}: {}", doing, path, reason);
    default:
      return Internal("cannot {} {}: {}", doing, path, reason);
  }
}

absl::Status WriteAndSync(const std::string& path, std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) return FromErrno(errno, "create", path);
  if (!WriteWhole(file.number(), bytes)) return FromErrno(errno, "write", path);
  if (::fsync(file.number()) != 0) return FromErrno(errno, "sync", path);
  return absl::OkStatus();
}

absl::Status SyncFolder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return FromErrno(errno, "open", path);
  if (::fsync(folder.number()) != 0) return FromErrno(errno, "sync", path);
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteAtomically(const std::string& path, std::string_view bytes) {
  static std::atomic<int64_t> counter = 0;
  const fs::path target(path);
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  const std::string temporary =
      Join(folder, fmt::format(".{}.{}.{}.tmp", target.filename().string(), ::getpid(), ++counter));
  absl::Status status = WriteAndSync(temporary, bytes);
  if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) {
    status = FromErrno(errno, "rename to", path);
  }
  if (!status.ok()) {
    ::unlink(temporary.c_str());
    return status;
  }
  return SyncFolder(folder);
}

absl::StatusOr<std::string> Read(const std::string& path, size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return FromErrno(errno, "open", path);
  struct stat info = {};
  if (::fstat(file.number(), &info) != 0) return FromErrno(errno, "stat", path);
  std::string bytes;
  // One byte more than the size shows the end of the file without growing; pipes have no size.
  bytes.resize(std::min(static_cast<size_t>(info.st_size), max_bytes) + 1);
  size_t used = 0;
  while (true) {
    const ssize_t count = ReadSome(file.number(), std::span(bytes).subspan(used));
    if (count < 0) return FromErrno(errno, "read", path);
    if (count == 0) break;
    used += static_cast<size_t>(count);
    if (used > max_bytes) {
      return ResourceExhausted("{} is larger than {} bytes", path, max_bytes);
    }
    if (used == bytes.size()) bytes.resize(std::min(2 * used, max_bytes) + 1);
  }
  bytes.resize(used);
  return bytes;
}

absl::Status CreateFolder(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return absl::OkStatus();
  const fs::path parent = fs::path(path).lexically_normal().parent_path();
  if (!parent.empty() && parent != path) {
    RETURN_IF_ERROR(CreateFolder(parent.string()));
  }
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return FromErrno(errno, "create folder", path);
  }
  if (!fs::is_directory(path, error)) return FailedPrecondition("{} is not a folder", path);
  return absl::OkStatus();
}

absl::Status Remove(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error && error != std::errc::no_such_file_or_directory) {
    return FromErrno(error.value(), "remove", path);
  }
  return absl::OkStatus();
}

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string Join(std::string_view folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  return fmt::format("{}{}{}", folder, folder.back() == '/' ? "" : "/", name);
}

}  // namespace tidemill::files

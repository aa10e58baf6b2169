#include "base/paths/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/descriptor.h"
#include "base/disk_full.h"
#include "base/files.h"
#include "base/whole_io.h"

namespace tidemill::files {
namespace {

namespace fs = std::filesystem;

// The path with all links followed, even if nothing exists there yet. The path itself when its
// links form a loop, so that opening it fails with the error.
std::string Followed(const std::string& path) {
  constexpr int kMaxLinks = 40;
  fs::path place(path);
  std::error_code error;
  for (int links = 0; fs::is_symlink(place, error); ++links) {
    const fs::path next = fs::read_symlink(place, error);
    if (error || links == kMaxLinks) return path;
    place = next.is_absolute() ? next : place.parent_path() / next;
  }
  return place.string();
}

absl::Status Failure(int error, const std::string& path) {
  const char* const reason = std::strerror(error);
  if (IsNoRoom(error)) return DiskFull(fmt::format("cannot write {}: {}", path, reason));
  if (error == EACCES || error == EPERM) {
    return PermissionDenied("cannot write {}: {}", path, reason);
  }
  return Internal("cannot write {}: {}", path, reason);
}

absl::Status WriteInto(const std::string& place, std::string_view bytes, const std::string& path) {
  const Descriptor file(::open(place.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!file.is_open()) return Failure(errno, path);
  return WriteWhole(file.number(), bytes) ? absl::OkStatus() : Failure(errno, path);
}

}  // namespace

absl::Status WriteOutput(const std::string& path, std::string_view bytes) {
  const std::string place = Followed(path);
  struct stat info = {};
  const bool is_there = ::stat(place.c_str(), &info) == 0;
  if (!is_there && errno != ENOENT) return Failure(errno, path);
  if (is_there && S_ISDIR(info.st_mode)) {
    return FailedPrecondition("{} is a folder; name a file in it", path);
  }
  if (is_there && !S_ISREG(info.st_mode)) return WriteInto(place, bytes, path);
  return WriteAtomically(place, bytes);
}

}  // namespace tidemill::files

#include "storage/filesystems/local.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "storage/client/glob.h"

namespace tidemill::storage {

namespace {

namespace fs = std::filesystem;

absl::Status FromErrno(int error, const std::string& doing, const std::string& path) {
  const std::string reason = std::strerror(error);
  if (error == ENOENT || error == ENOTDIR) return NotFound("{} {}: {}", doing, path, reason);
  if (error == EACCES || error == EPERM) return PermissionDenied("{} {}: {}", doing, path, reason);
  if (error == EMFILE || error == ENFILE || error == ENOMEM) {
    return ResourceExhausted("{} {}: {}", doing, path, reason);
  }
  return Unavailable("{} {}: {}", doing, path, reason);
}

FileIdentity ToIdentity(const struct stat& status) {
  return {
      .inode = static_cast<int64_t>(status.st_ino),
      .size_bytes = status.st_size,
      .modified_nanos = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

// Collects the files below one root.
class Listing {
 public:
  Listing(const std::string& root, std::string_view glob,
          const std::function<bool(const std::string&)>& admit)
      : root_(root), glob_(glob), admit_(admit) {}

  absl::Status Visit(const std::string& below) {
    std::error_code error;
    const std::string folder = below.empty() ? root_ : root_ + "/" + below;
    fs::directory_iterator entries(folder, error);
    if (error) return Unavailable("cannot list {}: {}", folder, error.message());
    while (entries != fs::directory_iterator()) {
      const std::string name = entries->path().filename().string();
      const std::string path = below.empty() ? name : below + "/" + name;
      if (!name.starts_with('.')) RETURN_IF_ERROR(VisitEntry(path));
      entries.increment(error);
      if (error) return Unavailable("cannot list {}: {}", folder, error.message());
    }
    return absl::OkStatus();
  }

  ListedFolder Take() {
    std::sort(files_.begin(), files_.end(),
              [](const ListedFile& a, const ListedFile& b) { return a.path < b.path; });
    return {.files = std::move(files_), .passed_over = std::move(passed_over_)};
  }

 private:
  absl::Status VisitEntry(const std::string& path) {
    const std::string absolute = root_ + "/" + path;
    struct stat status = {};
    if (lstat(absolute.c_str(), &status) != 0) return absl::OkStatus();  // Gone meanwhile.
    if (S_ISLNK(status.st_mode)) {
      // Of where it leads nothing was touched.
      if (!admit_(absolute)) {
        return PassOver(path, "a link that leads nowhere, or out of the allowed folders");
      }
      if (stat(absolute.c_str(), &status) != 0) return PassOver(path, "a link that leads nowhere");
      // A linked folder may be a cycle.
      if (S_ISDIR(status.st_mode)) return PassOver(path, "a link to a folder", /*always=*/true);
    }
    if (S_ISDIR(status.st_mode)) return Visit(path);
    if (S_ISREG(status.st_mode) && GlobMatches(glob_, path)) {
      files_.push_back({.path = path, .identity = ToIdentity(status)});
    }
    if (!S_ISREG(status.st_mode)) return PassOver(path, "a pipe, a socket or a device");
    return absl::OkStatus();
  }

  // Counts what nobody is to wonder about later.
  absl::Status PassOver(const std::string& path, const char* why, bool always = false) {
    if (!always && !GlobMatches(glob_, path)) return absl::OkStatus();
    if (passed_over_.count++ == 0) passed_over_.first = path + ": " + why;
    return absl::OkStatus();
  }

  const std::string& root_;
  const std::string_view glob_;
  const std::function<bool(const std::string&)>& admit_;
  std::vector<ListedFile> files_;
  PassedOver passed_over_;
};

}  // namespace

absl::StatusOr<OpenFile> OpenFile::Open(const std::string& path) {
  Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor.is_open()) return FromErrno(errno, "cannot open", path);
  OpenFile file(path, std::move(descriptor));
  struct stat status = {};
  if (fstat(file.descriptor(), &status) != 0) return FromErrno(errno, "cannot examine", path);
  if (!S_ISREG(status.st_mode)) return InvalidArgument("{} is not a regular file", path);
  return file;
}

OpenFile::OpenFile(std::string path, std::unique_ptr<const RemoteFile> remote)
    : path_(std::move(path)), remote_(std::move(remote)) {}

absl::StatusOr<FileIdentity> OpenFile::Identity() const {
  if (remote_) return remote_->Identity();
  struct stat status = {};
  if (fstat(descriptor(), &status) != 0) return FromErrno(errno, "cannot examine", path_);
  return ToIdentity(status);
}

absl::StatusOr<size_t> OpenFile::ReadAt(int64_t offset, char* bytes, size_t size) const {
  if (remote_) return remote_->ReadAt(offset, bytes, size);
  size_t done = 0;
  while (done < size) {
    const ssize_t count =
        pread(descriptor(), bytes + done, size - done, offset + static_cast<int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FromErrno(errno, "cannot read", path_);
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

absl::Status OpenFile::Prepare(std::span<const ByteRange> ranges) const {
  return remote_ ? remote_->Prepare(ranges) : absl::OkStatus();
}

absl::StatusOr<batch::Buffer> OpenFile::Map(size_t size) const {
  if (remote_) return FailedPrecondition("{} is in an object store and cannot be mapped", path_);
  if (size == 0) return batch::Buffer();
  void* const start = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor(), 0);
  if (start == MAP_FAILED) return FromErrno(errno, "cannot map", path_);
  std::shared_ptr<const void> owner(start, [size](void* mapped) { munmap(mapped, size); });
  return batch::Buffer::Wrap(start, size, std::move(owner));
}

absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return FromErrno(errno, "cannot examine", path);
  if (!S_ISREG(status.st_mode)) return NotFound("{} is not a regular file", path);
  return ToIdentity(status);
}

absl::StatusOr<ListedFolder> ListFiles(const std::string& root, std::string_view glob,
                                       const std::function<bool(const std::string&)>& admit) {
  Listing listing(root, glob, admit);
  RETURN_IF_ERROR(listing.Visit(""));
  return listing.Take();
}

}  // namespace tidemill::storage

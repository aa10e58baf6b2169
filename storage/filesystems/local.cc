#include "storage/filesystems/local.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/whole_io.h"

namespace tidemill::storage {

namespace {

absl::Status FromErrno(int error, const std::string& doing, const std::string& path) {
  const std::string reason = std::strerror(error);
  if (error == ENOENT || error == ENOTDIR) return NotFound("{} {}: {}", doing, path, reason);
  if (error == EACCES || error == EPERM) return PermissionDenied("{} {}: {}", doing, path, reason);
  if (error == EMFILE || error == ENFILE || error == ENOMEM) {
    return ResourceExhausted("{} {}: {}", doing, path, reason);
  }
  return Unavailable("{} {}: {}", doing, path, reason);
}

}  // namespace

FileIdentity ToIdentity(const struct stat& status) {
  return {.inode = static_cast<int64_t>(status.st_ino),
          .size_bytes = status.st_size,
          .modified_nanos = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
          .changed_nanos = int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec};
}

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
  const ssize_t done = ReadWholeAt(descriptor(), {bytes, size}, offset);
  if (done < 0) return FromErrno(errno, "cannot read", path_);
  return static_cast<size_t>(done);
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

}  // namespace tidemill::storage

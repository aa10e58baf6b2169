#include "subsets/pairwise/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.h"
#include "base/disk_full.h"

namespace tidemill::subsets {
namespace {

absl::Status Failed(std::string_view doing, const std::string& path, int error) {
  const std::string text = fmt::format("cannot {} {}: {}", doing, path, std::strerror(error));
  if (error == ENOENT) return NotFound("{}", text);
  if (IsNoRoom(error)) return DiskFull(text);
  if (error == EFBIG) return ResourceExhausted("{}", text);
  return Internal("{}", text);
}

// nullptr for an empty file, which has nothing to map.
absl::StatusOr<void*> Map(const std::string& path, int fd, int64_t bytes, int protection) {
  if (bytes == 0) return nullptr;
  void* data = ::mmap(nullptr, static_cast<size_t>(bytes), protection, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return Failed("map", path, errno);
  return data;
}

}  // namespace

absl::StatusOr<SharedFile> SharedFile::Create(const std::string& path, int64_t bytes) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return Failed("replace", path, errno);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) return Failed("create", path, errno);
  // A write into a hole of a full disk would end the process.
  if (const int error = bytes > 0 ? ::posix_fallocate(file.number(), 0, bytes) : 0; error != 0) {
    ::unlink(path.c_str());
    return Failed("reserve space for", path, error);
  }
  ASSIGN_OR_RETURN(void* data, Map(path, file.number(), bytes, PROT_READ | PROT_WRITE));
  return SharedFile(data, bytes);
}

absl::StatusOr<SharedFile> SharedFile::Open(const std::string& path, Access access) {
  const bool writes = access == Access::kWrite;
  const Descriptor file(::open(path.c_str(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC));
  if (!file.is_open()) return Failed("open", path, errno);
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) return Failed("look at", path, errno);
  const int64_t bytes = status.st_size;
  ASSIGN_OR_RETURN(void* data,
                   Map(path, file.number(), bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ));
  return SharedFile(data, bytes);
}

SharedFile::SharedFile(SharedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

SharedFile& SharedFile::operator=(SharedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedFile::~SharedFile() {
  if (data_ != nullptr) ::munmap(data_, static_cast<size_t>(bytes_));
}

}  // namespace tidemill::subsets

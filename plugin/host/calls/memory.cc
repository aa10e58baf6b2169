#include "plugin/host/calls/memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace tidemill::plugin::host {

absl::StatusOr<Memory> Memory::Map(int descriptor, Access access) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) {
    return FailedPrecondition("descriptor {} is not shared memory: {}", descriptor,
                              strerror(errno));
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return Memory({}, access);
  const int protection = access == Access::kWrite ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const mapped = mmap(nullptr, size, protection, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) {
    return FailedPrecondition("cannot map descriptor {}: {}", descriptor, strerror(errno));
  }
  return Memory({static_cast<std::byte*>(mapped), size}, access);
}

absl::StatusOr<const void*> Memory::At(int64_t at, int64_t size) const {
  RETURN_IF_ERROR(Check(at, size));
  return bytes_.data() + at;
}

absl::StatusOr<std::byte*> Memory::WritableAt(int64_t at, int64_t size) const {
  if (access_ != Access::kWrite) return FailedPrecondition("the memory is mapped for reading");
  RETURN_IF_ERROR(Check(at, size));
  return bytes_.data() + at;
}

absl::Status Memory::Check(int64_t at, int64_t size) const {
  const int64_t all = this->size();
  if (at >= 0 && size >= 0 && at % kAlignment == 0 && at <= all && size <= all - at) {
    return absl::OkStatus();
  }
  return InvalidArgument("{} bytes at {} are not within the memory of {} bytes", size, at, all);
}

}  // namespace tidemill::plugin::host

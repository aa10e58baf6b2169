#include "plugin/host/memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace tidemill::plugin::host {

absl::StatusOr<Memory> Memory::Map(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) {
    return FailedPrecondition("descriptor {} is no memory: {}", descriptor, strerror(errno));
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return Memory({});
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) {
    return FailedPrecondition("cannot map descriptor {}: {}", descriptor, strerror(errno));
  }
  return Memory({static_cast<const std::byte*>(mapped), size});
}

absl::StatusOr<const void*> Memory::At(int64_t at, int64_t size) const {
  constexpr int64_t kAlignment = 64;
  const auto all = static_cast<int64_t>(bytes_.size());
  if (at < 0 || size < 0 || at % kAlignment != 0 || at > all || size > all - at) {
    return InvalidArgument("{} bytes at {} do not lie in the memory of {} bytes", size, at, all);
  }
  return bytes_.data() + at;
}

}  // namespace tidemill::plugin::host

// A file in memory that several processes may share. Its content counts as page cache, not as
// memory of a process.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "base/status.h"

namespace tidemill::subsets {

// Thread-compatible. Threads or processes that write to the same words must use atomics.
class SharedFile {
 public:
  // Creates or replaces the file at `path`, with `bytes` zeros. UNAVAILABLE when the disk is full
  // (disk_full.h).
  static absl::StatusOr<SharedFile> Create(const std::string& path, int64_t bytes);
  enum class Access { kRead, kWrite };
  // NOT_FOUND when there is none.
  static absl::StatusOr<SharedFile> Open(const std::string& path, Access access = Access::kRead);

  SharedFile() = default;
  SharedFile(SharedFile&& other) noexcept;
  SharedFile& operator=(SharedFile&& other) noexcept;
  ~SharedFile();

  // Returns the file as numbers. T may be non-const only if the file may be written.
  template <typename T>
  std::span<T> As() const {
    static_assert(std::is_trivially_copyable_v<T>);
    return {static_cast<T*>(data_), static_cast<size_t>(bytes_) / sizeof(T)};
  }
  int64_t bytes() const { return bytes_; }

 private:
  SharedFile(void* data, int64_t bytes) : data_(data), bytes_(bytes) {}
  void* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace tidemill::subsets

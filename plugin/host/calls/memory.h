// Memory that the owner shares with the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"

namespace tidemill::plugin::host {

// Mapped until the process ends. Thread-safe.
class Memory {
 public:
  // Columns begin at multiples of this.
  static constexpr int64_t kAlignment = 64;

  enum class Access { kRead, kWrite };

  // FAILED_PRECONDITION when the descriptor is not shared memory.
  static absl::StatusOr<Memory> Map(int descriptor, Access access = Access::kRead);

  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }

  // Returns `size` bytes from `at`, which is a multiple of kAlignment. INVALID_ARGUMENT when they
  // are not all in the memory.
  absl::StatusOr<const void*> At(int64_t at, int64_t size) const;
  // The same bytes, to be written. FAILED_PRECONDITION for memory that was mapped for reading.
  absl::StatusOr<std::byte*> WritableAt(int64_t at, int64_t size) const;

 private:
  Memory(std::span<std::byte> bytes, Access access) : bytes_(bytes), access_(access) {}

  absl::Status Check(int64_t at, int64_t size) const;

  std::span<std::byte> bytes_;
  Access access_;
};

// The two memories that a host and its owner share: for columns of requests, which the host reads,
// and for columns of answers, which the host writes.
struct Memories {
  Memory requests;
  Memory answers;
};

}  // namespace tidemill::plugin::host

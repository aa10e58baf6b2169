// Memory that the owner shares, read-only here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"

namespace tidemill::plugin::host {

// Mapped until the process ends. Thread-safe.
class Memory {
 public:
  // FAILED_PRECONDITION where the descriptor is no memory.
  static absl::StatusOr<Memory> Map(int descriptor);

  // `size` bytes from `at`, which is a multiple of 64. INVALID_ARGUMENT where they are not all in
  // it.
  absl::StatusOr<const void*> At(int64_t at, int64_t size) const;

 private:
  explicit Memory(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace tidemill::plugin::host

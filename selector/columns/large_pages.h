// Memory in large pages, where the system has them: allocating many small pages takes longer than
// copying the numbers.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace tidemill::selector {

// An allocator for vectors of some MiB.
template <typename T>
struct LargePages {
  static constexpr size_t kPageBytes = size_t{2} << 20;

  using value_type = T;

  LargePages() = default;
  template <typename Other>
  LargePages(const LargePages<Other>& /*other*/) {}  // NOLINT: containers convert allocators.

  T* allocate(size_t count) {
    const size_t bytes = (count * sizeof(T) + kPageBytes - 1) / kPageBytes * kPageBytes;
    void* const memory = ::operator new(bytes, std::align_val_t(kPageBytes));
    // Without large pages this is ordinary memory.
    static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t /*count*/) {
    ::operator delete(memory, std::align_val_t(kPageBytes));
  }

  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

}  // namespace tidemill::selector

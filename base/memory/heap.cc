#include "base/memory/heap.h"

#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

#include "base/memory/block_pool.h"

namespace tidemill {

namespace {

constexpr size_t kWorthReturning = size_t{4} << 20;

}  // namespace

void KeepFreedPages() {
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
  mallopt(M_MMAP_THRESHOLD, 8 << 20);
}

size_t AnonymousBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t size = 0;
  size_t resident = 0;
  size_t shared = 0;
  if (!(statm >> size >> resident >> shared) || resident < shared) return 0;
  return (resident - shared) * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

bool ReturnFreedPages() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;  // Their heap is another.
#else
  const bool had_blocks = BlockPool::OfProcess().Trim();
  const struct mallinfo2 heap = mallinfo2();
  if (heap.fordblks < kWorthReturning) return had_blocks;
  if (AnonymousBytes() < heap.uordblks + heap.hblkhd + kWorthReturning) return had_blocks;
  return malloc_trim(0) == 1 || had_blocks;
#endif
}

}  // namespace tidemill

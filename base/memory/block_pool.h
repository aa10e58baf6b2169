// Keeps large blocks of memory that were given back, and hands them out again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace tidemill {

// A heap returns a large block to the kernel when it is freed. Its next owner gets fresh pages,
// and the kernel zeroes each one when it is first touched: for a batch of photographs, that takes
// as long as a fifth of decoding them. This pool keeps such blocks. A size is rounded up to one of
// eight steps between powers of two, and an idle block serves the next request of the same step:
//
//   sizes   1 MiB  1.125  1.25  1.375 ...  2 MiB  2.25  2.5 ...
//   idle     [ ]           [ ][ ]                  [ ]              at most `most_idle` bytes
//
// The sizes change when a job does, as after its first epoch. So a block that is given back takes
// the room of those that were idle for longest. Blocks of at least 4 MiB are on huge pages if the
// kernel has them. Thread-safe.
class BlockPool {
 public:
  // Smaller blocks are for the heap.
  static constexpr size_t kLeastBytes = size_t{1} << 20;

  // The pool of this process, which keeps up to 64 MiB.
  static BlockPool& OfProcess();

  explicit BlockPool(size_t most_idle) : most_idle_(most_idle) {}
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Returns memory of at least `size` bytes, which is at least kLeastBytes, aligned to a page. Its
  // content is undefined. nullptr when the kernel has none.
  void* Take(size_t size) ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes back what Take(size) returned.
  void Give(void* block, size_t size) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the blocks to the kernel that were idle at the previous call, too. Call it
  // periodically. Returns whether there were any.
  bool Trim() ABSL_LOCKS_EXCLUDED(mutex_);

  // The number of blocks handed out since the pool was made, for tests that count copies.
  int64_t num_taken() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Idle {
    void* block = nullptr;
    int64_t given = 0;    // num_given_ after it.
    bool is_old = false;  // Idle at the last Trim().
  };

  // Removes the block that was idle for longest, with its rounded size.
  std::pair<void*, size_t> RemoveOldest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t most_idle_;
  mutable Mutex mutex_;
  int64_t num_taken_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_given_ ABSL_GUARDED_BY(mutex_) = 0;
  // By rounded size. The blocks used last are at the end.
  std::map<size_t, std::vector<Idle>> idle_ ABSL_GUARDED_BY(mutex_);
  size_t idle_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tidemill

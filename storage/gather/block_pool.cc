#include "storage/gather/block_pool.h"

#include <memory>
#include <new>
#include <vector>

#include "base/mutex.h"

namespace tidemill::storage {

namespace {

constexpr std::align_val_t kAlignment{64};
constexpr size_t kUnit = 64 << 10;

struct Block {
  void* memory = nullptr;
  size_t size = 0;
};

void Free(Block block) { ::operator delete(block.memory, kAlignment); }

class Pool {
 public:
  Block Take(size_t size) ABSL_LOCKS_EXCLUDED(mutex_) {
    size = (size + kUnit - 1) / kUnit * kUnit;
    {
      MutexLock lock(mutex_);
      auto best = kept_.end();
      for (auto block = kept_.begin(); block != kept_.end(); ++block) {
        // Not much larger: a small block must not hold on to the memory of a large one.
        if (block->size < size || block->size > size + size / 4) continue;
        if (best == kept_.end() || block->size < best->size) best = block;
      }
      if (best != kept_.end()) {
        const Block block = *best;
        kept_.erase(best);
        kept_bytes_ -= block.size;
        return block;
      }
    }
    return {::operator new(size, kAlignment), size};
  }

  void Return(Block block) ABSL_LOCKS_EXCLUDED(mutex_) {
    std::vector<Block> dropped;
    {
      MutexLock lock(mutex_);
      kept_.push_back(block);
      kept_bytes_ += block.size;
      while (kept_bytes_ > kMaxKeptBytes) {
        dropped.push_back(kept_.front());
        kept_bytes_ -= kept_.front().size;
        kept_.erase(kept_.begin());
      }
    }
    for (const Block& old : dropped) Free(old);
  }

 private:
  Mutex mutex_;
  std::vector<Block> kept_ ABSL_GUARDED_BY(mutex_);  // The longest unused first; few.
  size_t kept_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Never destroyed: blocks may outlive every static object.
Pool& ThePool() {
  static Pool& pool = *new Pool;
  return pool;
}

}  // namespace

batch::Buffer TakeBlock(size_t size) {
  if (size == 0) return {};
  if (size < kUnit) return batch::Buffer::AllocateUnwritten(size);
  const Block block = ThePool().Take(size);
  std::shared_ptr<const void> owner(block.memory,
                                    [block](const void*) { ThePool().Return(block); });
  return batch::Buffer::Wrap(block.memory, size, std::move(owner));
}

}  // namespace tidemill::storage

#include "base/memory/block_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace tidemill {
namespace {

constexpr size_t kMostIdleOfProcess = size_t{64} << 20;
constexpr size_t kStepsOfPower = 8;
constexpr size_t kHugePage = size_t{2} << 20;
// A smaller block would waste too much of its last huge page.
constexpr size_t kLeastHuge = 2 * kHugePage;

size_t Rounded(size_t size) {
  const size_t step = std::bit_floor(size) / kStepsOfPower;
  return (size + step - 1) / step * step;
}

void Unmap(void* block, size_t bytes) { TIDEMILL_CHECK(munmap(block, bytes) == 0); }

void* Map(size_t bytes) {
  void* const block =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

// Huge pages begin at multiples of their size.
void* MapHuge(size_t bytes) {
  auto* const start = static_cast<std::byte*>(Map(bytes + kHugePage));
  if (start == nullptr) return nullptr;
  const auto address = reinterpret_cast<uintptr_t>(start);
  const size_t before = (kHugePage - address % kHugePage) % kHugePage;
  std::byte* const block = start + before;
  if (before > 0) Unmap(start, before);
  Unmap(block + bytes, kHugePage - before);
  madvise(block, bytes, MADV_HUGEPAGE);  // It is as good without.
  return block;
}

}  // namespace

BlockPool& BlockPool::OfProcess() {
  // Blocks are given back by the destructors of any static object.
  static auto& pool = *new BlockPool(kMostIdleOfProcess);
  return pool;
}

BlockPool::~BlockPool() {
  for (const auto& [bytes, blocks] : idle_) {
    for (const Idle& idle : blocks) Unmap(idle.block, bytes);
  }
}

void* BlockPool::Take(size_t size) {
  TIDEMILL_DCHECK(size >= kLeastBytes);
  const size_t bytes = Rounded(size);
  {
    MutexLock lock(mutex_);
    ++num_taken_;
    const auto found = idle_.find(bytes);
    if (found != idle_.end()) {
      void* const block = found->second.back().block;
      found->second.pop_back();
      if (found->second.empty()) idle_.erase(found);
      idle_bytes_ -= bytes;
      return block;
    }
  }
  return bytes >= kLeastHuge ? MapHuge(bytes) : Map(bytes);
}

void BlockPool::Give(void* block, size_t size) {
  const size_t bytes = Rounded(size);
  if (bytes > most_idle_) return Unmap(block, bytes);
  std::vector<std::pair<void*, size_t>> removed;
  {
    MutexLock lock(mutex_);
    while (idle_bytes_ + bytes > most_idle_) removed.push_back(RemoveOldest());
    idle_[bytes].push_back({.block = block, .given = ++num_given_});
    idle_bytes_ += bytes;
  }
  for (const auto& [old, old_bytes] : removed) Unmap(old, old_bytes);
}

std::pair<void*, size_t> BlockPool::RemoveOldest() {
  // The blocks of a size are in the order in which they were given.
  const auto oldest = std::ranges::min_element(
      idle_, {}, [](const auto& step) { return step.second.front().given; });
  const std::pair<void*, size_t> removed(oldest->second.front().block, oldest->first);
  oldest->second.erase(oldest->second.begin());
  if (oldest->second.empty()) idle_.erase(oldest);
  idle_bytes_ -= removed.second;
  return removed;
}

bool BlockPool::Trim() {
  std::vector<std::pair<void*, size_t>> old;
  {
    MutexLock lock(mutex_);
    for (auto& [bytes, blocks] : idle_) {
      for (const Idle& idle : blocks) {
        if (idle.is_old) old.emplace_back(idle.block, bytes);
      }
      std::erase_if(blocks, [](const Idle& idle) { return idle.is_old; });
      for (Idle& idle : blocks) idle.is_old = true;
    }
    std::erase_if(idle_, [](const auto& step) { return step.second.empty(); });
    for (const auto& [block, bytes] : old) idle_bytes_ -= bytes;
  }
  for (const auto& [block, bytes] : old) Unmap(block, bytes);
  return !old.empty();
}

int64_t BlockPool::num_taken() const {
  MutexLock lock(mutex_);
  return num_taken_;
}

}  // namespace tidemill

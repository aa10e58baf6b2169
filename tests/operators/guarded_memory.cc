#include "tests/operators/guarded_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "torch/version.h"

#include "c10/core/Allocator.h"

namespace tidemill::operators {
namespace {

constexpr size_t kPage = 4096;
// Vector instructions want it, and no number of a tensor is larger.
constexpr size_t kAlignment = 16;
constexpr size_t kRim = 64;
constexpr uint8_t kRimByte = 0xA7;
constexpr uint8_t kFreedByte = 0xDB;
constexpr size_t kMaxPiece = size_t{8} << 20;
constexpr size_t kMaxLarge = size_t{256} << 20;

struct SlotKind {
  size_t pages;
  size_t count;
};
// A slot has `pages` pages, and one after them that may not be touched.
constexpr std::array<SlotKind, 4> kKinds = {{{1, 16384}, {17, 1024}, {257, 96}, {2049, 12}}};

const char* damage = "";

[[noreturn]] void End(const char* what) {
  damage = what;
  std::abort();
}

thread_local int num_watching = 0;
thread_local Edge edge_of_new = Edge::kEnd;
thread_local uint8_t fill_of_new = 0;

struct Slot {
  std::byte* data = nullptr;
  size_t size = 0;
};

class Pool {
 public:
  void Reserve(const SlotKind& kind) {
    pages_ = kind.pages;
    stride_ = (kind.pages + 1) * kPage;
    bytes_ = stride_ * kind.count + kPage;
    void* const made =
        mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) std::abort();
    begin_ = static_cast<std::byte*>(made) + kPage;
    slots_.resize(kind.count);
    free_.reserve(kind.count);
    for (size_t i = kind.count; i-- > 0;) {
      if (mprotect(begin_ + i * stride_, pages_ * kPage, PROT_READ | PROT_WRITE) != 0) std::abort();
      free_.push_back(i);
    }
  }

  bool Contains(const void* place) const {
    const auto* const byte = static_cast<const std::byte*>(place);
    return byte >= begin_ - kPage && byte < begin_ - kPage + bytes_;
  }
  // One rim is beside the piece.
  bool Fits(size_t size) const { return size + kRim + kAlignment <= pages_ * kPage; }

  void* Take(size_t size) {
    if (free_.empty()) return nullptr;
    const size_t index = free_.back();
    free_.pop_back();
    std::byte* const begin = begin_ + index * stride_;
    std::byte* const end = begin + pages_ * kPage;
    const size_t whole = (size + kAlignment - 1) / kAlignment * kAlignment;
    Slot& slot = slots_[index];
    slot = {.data = edge_of_new == Edge::kEnd ? end - whole : begin, .size = size};
    std::memset(slot.data, fill_of_new, size);
    for (auto [rim, length] : RimsOf(slot, begin, end)) std::memset(rim, kRimByte, length);
    return slot.data;
  }

  void Return(void* place) {
    const size_t index = static_cast<size_t>(static_cast<std::byte*>(place) - begin_) / stride_;
    Slot& slot = slots_[index];
    std::byte* const begin = begin_ + index * stride_;
    if (slot.data != place) End("gives back memory that it has not got");
    for (auto [rim, length] : RimsOf(slot, begin, begin + pages_ * kPage)) {
      for (size_t i = 0; i < length; ++i) {
        if (rim[i] != std::byte{kRimByte}) End("has written beside its memory");
      }
    }
    std::memset(slot.data, kFreedByte, std::min(slot.size, kPage));
    slot.data = nullptr;
    free_.push_back(index);
  }

  size_t SizeOf(void* place) const {
    return slots_[static_cast<size_t>(static_cast<std::byte*>(place) - begin_) / stride_].size;
  }

 private:
  using Rims = std::array<std::pair<std::byte*, size_t>, 2>;
  static Rims RimsOf(const Slot& slot, std::byte* begin, std::byte* end) {
    std::byte* const behind = slot.data + slot.size;
    const auto before = static_cast<size_t>(slot.data - begin);
    const auto after = static_cast<size_t>(end - behind);
    const size_t first = std::min(before, kRim);
    return {{{slot.data - first, first}, {behind, std::min(after, kRim)}}};
  }

  size_t pages_ = 0;
  size_t stride_ = 0;
  size_t bytes_ = 0;
  std::byte* begin_ = nullptr;
  std::vector<Slot> slots_;
  std::vector<size_t> free_;
};

class Pools {
 public:
  Pools() {
    for (size_t i = 0; i < kKinds.size(); ++i) pools_[i].Reserve(kKinds[i]);
  }

  // Null where it does not fit.
  void* Take(size_t size) {
    const std::scoped_lock lock(mutex_);
    for (Pool& pool : pools_) {
      if (!pool.Fits(size)) continue;
      if (void* const taken = pool.Take(size)) return taken;
    }
    return nullptr;
  }

  bool Return(void* place) {
    for (Pool& pool : pools_) {
      if (!pool.Contains(place)) continue;
      const std::scoped_lock lock(mutex_);
      pool.Return(place);
      return true;
    }
    return false;
  }

  bool Contains(const void* place) const {
    return std::ranges::any_of(pools_, [&](const Pool& pool) { return pool.Contains(place); });
  }

 private:
  std::mutex mutex_;
  std::array<Pool, kKinds.size()> pools_;
};

Pools* pools = nullptr;

void ReturnTensor(void* place) {
  if (place != nullptr && !pools->Return(place)) std::free(place);
}

c10::DataPtr TakeTensor(size_t size) {
  void* place = nullptr;
  if (size > 0) place = size <= kMaxPiece ? pools->Take(size) : nullptr;
  if (place == nullptr && size > 0) throw std::bad_alloc();
  return {place, place, &ReturnTensor, c10::Device(c10::kCPU)};
}

class WatchedTensors final : public c10::Allocator {
 public:
#if TORCH_VERSION_MAJOR >= 2
  c10::DataPtr allocate(size_t size) override { return TakeTensor(size); }
  void copy_data(void* to, const void* from, size_t size) const override {
    std::memcpy(to, from, size);
  }
#else
  c10::DataPtr allocate(size_t size) const override { return TakeTensor(size); }
#endif
  c10::DeleterFnPtr raw_deleter() const override { return &ReturnTensor; }
};

void* New(size_t size) {
  if (num_watching > 0 && pools != nullptr) {
    if (size > kMaxLarge) throw std::bad_alloc();
    if (void* const taken = pools->Take(std::max<size_t>(size, 1))) return taken;
  }
  void* const made = std::malloc(std::max<size_t>(size, 1));
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

void Delete(void* place) {
  if (place == nullptr || (pools != nullptr && pools->Return(place))) return;
  std::free(place);
}

}  // namespace

void WatchMemory() {
  pools = new Pools();
  static WatchedTensors* const tensors = new WatchedTensors();
  c10::SetAllocator(c10::kCPU, tensors, 255);
}

WatchedCall::WatchedCall(Edge watched_edge, uint8_t watched_fill) {
  edge_of_new = watched_edge;
  fill_of_new = watched_fill;
  ++num_watching;
}
WatchedCall::~WatchedCall() { --num_watching; }

const char* Damage() { return damage; }

AddressKind KindOf(uintptr_t address) {
  if (pools != nullptr && pools->Contains(reinterpret_cast<const void*>(address))) {
    return {.is_beside_memory = true, .name = "beside the memory of a tensor"};
  }
  if (address < (uintptr_t{1} << 16)) return {.name = "near null"};
  return {.is_beside_memory = true, .name = "far from any memory"};
}

}  // namespace tidemill::operators

void* operator new(size_t size) { return tidemill::operators::New(size); }
void* operator new[](size_t size) { return tidemill::operators::New(size); }
void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept {
  try {
    return tidemill::operators::New(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* place) noexcept { tidemill::operators::Delete(place); }
void operator delete[](void* place) noexcept { tidemill::operators::Delete(place); }
void operator delete(void* place, size_t) noexcept { tidemill::operators::Delete(place); }
void operator delete[](void* place, size_t) noexcept { tidemill::operators::Delete(place); }

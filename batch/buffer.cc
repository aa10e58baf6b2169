#include "batch/buffer.h"

#include <cstring>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/memory/block_pool.h"

namespace tidemill::batch {

namespace {

constexpr std::align_val_t kAlignment{kBufferAlignment};

struct FreeAligned {
  void operator()(void* memory) const { ::operator delete(memory, kAlignment); }
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kUsesPool = false;  // A sanitizer knows nothing of blocks that are used again.
#else
constexpr bool kUsesPool = true;
#endif

struct GiveBack {
  size_t size = 0;
  void operator()(void* memory) const { BlockPool::OfProcess().Give(memory, size); }
};

}  // namespace

Buffer Buffer::Allocate(size_t size) {
  Buffer buffer = AllocateUnwritten(size);
  if (size > 0) std::memset(buffer.mutable_data(), 0, size);
  return buffer;
}

Buffer Buffer::AllocateUnwritten(size_t size) {
  Buffer buffer;
  if (size == 0) return buffer;
  buffer.size_ = size;
  void* block = nullptr;
  if (kUsesPool && size >= BlockPool::kLeastBytes) block = BlockPool::OfProcess().Take(size);
  if (block != nullptr) {
    buffer.owner_ = std::shared_ptr<void>(block, GiveBack{size});
  } else {
    buffer.owner_ = std::shared_ptr<void>(::operator new(size, kAlignment), FreeAligned{});
  }
  buffer.data_ = static_cast<const std::byte*>(buffer.owner_.get());
  return buffer;
}

Buffer Buffer::FromString(std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  return Wrap(owner->data(), owner->size(), owner);
}

Buffer Buffer::Wrap(const void* data, size_t size, std::shared_ptr<const void> owner) {
  Buffer buffer;
  buffer.data_ = static_cast<const std::byte*>(data);
  buffer.size_ = size;
  buffer.owner_ = std::move(owner);
  return buffer;
}

Buffer Buffer::Slice(size_t offset, size_t size) const {
  TIDEMILL_CHECK(offset <= size_ && size <= size_ - offset);
  return Wrap(data_ + offset, size, owner_);
}

}  // namespace tidemill::batch

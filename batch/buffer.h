// Bytes that several owners share without copying them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tidemill::batch {

// The alignment of each buffer, in bytes: a line of the processor's cache, and Arrow's advice.
inline constexpr size_t kBufferAlignment = 64;

// A view of bytes together with what keeps them alive: heap memory, a mapped file or a received
// message. Immutable once shared. Copying a Buffer copies a pointer. Thread-compatible; the owner's
// count is atomic.
class Buffer {
 public:
  Buffer() = default;

  // Returns `size` bytes of zeroed memory, 64-byte aligned. Write to it through mutable_data()
  // before it is shared.
  static Buffer Allocate(size_t size);
  // Does the same without zeroing, for a caller that writes every byte.
  static Buffer AllocateUnwritten(size_t size);
  // Takes over a string's bytes without a copy, with the alignment of the string.
  static Buffer FromString(std::string bytes);
  // Returns a view of `size` bytes that `owner` keeps alive.
  static Buffer Wrap(const void* data, size_t size, std::shared_ptr<const void> owner);
  // Returns a view of a part of this buffer.
  Buffer Slice(size_t offset, size_t size) const;

  const std::byte* data() const { return data_; }
  std::byte* mutable_data() { return const_cast<std::byte*>(data_); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data_), size_}; }

  // Returns the bytes as numbers of type T. The buffer must be aligned for T.
  template <typename T>
  std::span<const T> As() const {
    return {reinterpret_cast<const T*>(data_), size_ / sizeof(T)};
  }
  template <typename T>
  std::span<T> MutableAs() {
    return {reinterpret_cast<T*>(mutable_data()), size_ / sizeof(T)};
  }

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

}  // namespace tidemill::batch

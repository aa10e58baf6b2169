// Sums of the blocks of a file. They are at its end:
//
//   offset       size  field
//        0        ...  what the sums are of, padded with zeros to a multiple of 8
//      ...        8*n  the xxh3-64 of each block of 64 KiB, the last one shorter
//      ...          8  the bytes of what the sums are of, without padding
//      ...          8  the bytes of a block
//      ...          8  the xxh3-64 of everything from the sums on up to here
//      ...          8  "TMSUMS01"
//
// A mapped file need not be read as a whole before it is used: a block is compared with its sum
// when it is first touched, and never again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/buffer.h"

namespace tidemill::storage {

inline constexpr size_t kSummedBlockBytes = size_t{64} << 10;

// Appends the padding, the sums and what follows them.
void AppendBlockSums(std::string& bytes);

// The sums of a file in memory or mapped, and the set of blocks that were found to be sound.
// Thread-safe.
class BlockSums {
 public:
  // Returns nullptr for a file without sums. DATA_LOSS when the sums themselves are damaged. No
  // block is read.
  static absl::StatusOr<std::unique_ptr<const BlockSums>> Read(const batch::Buffer& file);

  // The content that the sums cover.
  batch::Buffer content() const { return file_.Slice(0, content_bytes_); }

  // Whether the blocks that hold these bytes are sound: equal to what was written. Bytes outside
  // the file have no sums, and count as sound.
  bool AreSound(const void* bytes, size_t size) const {
    return num_left_.load(std::memory_order_acquire) == 0 || Compare(bytes, size);
  }
  bool AllAreSound() const { return AreSound(file_.data(), content_bytes_); }

 private:
  BlockSums(batch::Buffer file, size_t content_bytes, std::span<const uint64_t> sums);
  bool Compare(const void* bytes, size_t size) const;
  bool IsSound(size_t block) const;

  const batch::Buffer file_;
  const size_t content_bytes_;
  // A view of the file.
  const std::span<const uint64_t> sums_;
  // One bit per block, 1 once the block was found to be sound; and the number of the other blocks.
  mutable std::vector<std::atomic<uint64_t>> found_sound_;
  mutable std::atomic<size_t> num_left_;
};

}  // namespace tidemill::storage

// A pool of memory for blocks of samples.
#pragma once

#include <cstddef>

#include "batch/buffer.h"

namespace tidemill::storage {

// Returns a block of `size` bytes, 64-byte aligned, with undefined content. Write to it through
// mutable_data() before it is shared. When the last owner releases it, the memory is kept for
// another block, because fresh pages cost more than filling them. A process keeps at most
// kMaxKeptBytes in this way. Thread-safe.
batch::Buffer TakeBlock(size_t size);

inline constexpr size_t kMaxKeptBytes = size_t{16} << 20;

}  // namespace tidemill::storage

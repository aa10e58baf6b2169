// Memory for blocks of samples, used again and again.
#pragma once

#include <cstddef>

#include "batch/buffer.h"

namespace tidemill::storage {

// A block of `size` bytes to be written through mutable_data() before it is shared; 64-byte
// aligned, its content is undefined. When its last owner lets go, the memory is kept for the next
// one: fresh pages cost more than filling them. A process keeps at most kMaxKeptBytes that way.
// Thread-safe.
batch::Buffer TakeBlock(size_t size);

inline constexpr size_t kMaxKeptBytes = size_t{16} << 20;

}  // namespace tidemill::storage

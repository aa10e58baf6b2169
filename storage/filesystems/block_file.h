// One block of a remote file as a file of its own. The format is described in block_cache.h.
#pragma once

#include <string>

#include "base/status.h"
#include "batch/buffer.h"
#include "storage/filesystems/block_cache.h"

namespace tidemill::storage {

// What a block's file has before the block.
inline constexpr int64_t kBlockHeaderBytes = 48;

// "<32 digits>-<number>"
std::string BlockFileName(const BlockKey& key);
std::optional<BlockKey> ParseBlockFileName(std::string_view name);

// Takes its name once it is written. RESOURCE_EXHAUSTED when the disk is full, UNAVAILABLE.
absl::Status WriteBlockFile(const std::string& path, const BlockKey& key,
                            const batch::Buffer& bytes);

// NOT_FOUND when there is none, DATA_LOSS when it is not what was written.
absl::StatusOr<batch::Buffer> ReadBlockFile(const std::string& path, const BlockKey& key);

}  // namespace tidemill::storage

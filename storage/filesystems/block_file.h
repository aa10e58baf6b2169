// One block of a remote file, stored as one local file. block_cache.h describes the format.
#pragma once

#include <string>

#include "base/status.h"
#include "batch/buffer.h"
#include "storage/filesystems/block_cache.h"

namespace tidemill::storage {

// The size of the header before the block.
inline constexpr int64_t kBlockHeaderBytes = 48;

// "<32 digits>-<number>"
std::string BlockFileName(const BlockKey& key);
std::optional<BlockKey> ParseBlockFileName(std::string_view name);

// The file gets its name once it is written. RESOURCE_EXHAUSTED when the disk is full, otherwise
// UNAVAILABLE.
absl::Status WriteBlockFile(const std::string& path, const BlockKey& key,
                            const batch::Buffer& bytes);

// NOT_FOUND when there is no file. DATA_LOSS when it is damaged.
absl::StatusOr<batch::Buffer> ReadBlockFile(const std::string& path, const BlockKey& key);

}  // namespace tidemill::storage

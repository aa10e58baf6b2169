// Unpacks all frames of a zstd file (RFC 8878).
#pragma once

#include <memory>

#include "storage/compression/decoder.h"

namespace tidemill::storage {

// RESOURCE_EXHAUSTED when there is not enough memory.
absl::StatusOr<std::unique_ptr<StreamDecoder>> NewZstdDecoder();

}  // namespace tidemill::storage

// Unpacks all streams of an xz file, padding between them included.
#pragma once

#include <memory>

#include "storage/compression/decoder.h"

namespace tidemill::storage {

// RESOURCE_EXHAUSTED when there is no memory for it.
absl::StatusOr<std::unique_ptr<Decoder>> NewXzDecoder();

}  // namespace tidemill::storage

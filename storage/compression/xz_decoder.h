// Unpacks all streams of an xz file, including padding between them.
#pragma once

#include <memory>

#include "storage/compression/decoder.h"

namespace tidemill::storage {

// RESOURCE_EXHAUSTED when there is not enough memory.
absl::StatusOr<std::unique_ptr<StreamDecoder>> NewXzDecoder();

}  // namespace tidemill::storage

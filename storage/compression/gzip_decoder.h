// Unpacks all members of a gzip file (RFC 1952).
#pragma once

#include <memory>

#include "storage/compression/decoder.h"

namespace tidemill::storage {

// RESOURCE_EXHAUSTED when there is not enough memory.
absl::StatusOr<std::unique_ptr<StreamDecoder>> NewGzipDecoder();

}  // namespace tidemill::storage

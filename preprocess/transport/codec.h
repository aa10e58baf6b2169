// Compresses the bytes of a batch.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "batch/buffer.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// A batch that claims to be longer than this is refused.
inline constexpr int64_t kMaxBatchBytes = int64_t{1} << 30;

// Returns the parts, one after another, as one compressed piece. INVALID_ARGUMENT when the
// compression is unknown, or when the parts are longer than kMaxBatchBytes.
absl::StatusOr<batch::Buffer> Compress(v1::Compression compression,
                                       std::span<const batch::Buffer> parts);

// DATA_LOSS unless the result has exactly `size` bytes.
absl::StatusOr<batch::Buffer> Decompress(v1::Compression compression, const batch::Buffer& bytes,
                                         int64_t size);

}  // namespace tidemill::preprocess

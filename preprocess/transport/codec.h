// Compression of the bytes of a batch.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "batch/buffer.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// A batch that claims to be longer than this is refused.
inline constexpr int64_t kMaxBatchBytes = int64_t{1} << 30;

// The parts, one behind another, as one compressed piece. INVALID_ARGUMENT for a compression that
// is not known here or parts longer than kMaxBatchBytes.
absl::StatusOr<batch::Buffer> Compress(v1::Compression compression,
                                       std::span<const batch::Buffer> parts);

// DATA_LOSS unless it comes to exactly `size` bytes.
absl::StatusOr<batch::Buffer> Decompress(v1::Compression compression, const batch::Buffer& bytes,
                                         int64_t size);

}  // namespace tidemill::preprocess

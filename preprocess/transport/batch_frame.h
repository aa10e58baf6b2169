// A batch message as a message of WorkerService.ReadBatches, its bulk passed along by reference.
#pragma once

#include "grpcpp/support/byte_buffer.h"

#include "base/status.h"
#include "preprocess/transport/batch_message.h"
#include "preprocess/transport/compression_policy.h"

namespace tidemill::preprocess {

// What compressing came to, for CompressionPolicy::Encoded().
struct EncodingCost {
  v1::Compression compression = v1::COMPRESSION_UNSPECIFIED;
  int64_t bytes = 0;
  int64_t compressed_bytes = 0;
  double seconds = 0;
};

// Shares the columns with the message unless they are compressed, which they are only where that
// makes them smaller. RESOURCE_EXHAUSTED for a batch that is longer than a message may be.
struct EncodedFrame {
  grpc::ByteBuffer bytes = {};
  std::vector<EncodingCost> costs = {};
};
absl::StatusOr<EncodedFrame> EncodeFrame(const BatchMessage& message,
                                         const CompressionPolicy::Plan& plan);

struct DecodedFrame {
  BatchMessage message = {};
  // Of the bulk.
  int64_t num_bytes = 0;
  int64_t num_wire_bytes = 0;
};
// Copies the bulk at most once, besides decompressing it. DATA_LOSS for whatever is no message.
absl::StatusOr<DecodedFrame> DecodeFrame(const grpc::ByteBuffer& bytes);

}  // namespace tidemill::preprocess

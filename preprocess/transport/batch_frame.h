// Converts a batch message to messages of WorkerService.ReadBatches. It is one message unless it is
// long. The bulk is passed by reference.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grpcpp/support/byte_buffer.h"

#include "base/status.h"
#include "batch/buffer.h"
#include "preprocess/transport/batch_message.h"
#include "preprocess/transport/compression_policy.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// The result of a compression, for CompressionPolicy::Encoded().
struct EncodingCost {
  v1::Compression compression = v1::COMPRESSION_UNSPECIFIED;
  int64_t bytes = 0;
  int64_t compressed_bytes = 0;
  double seconds = 0;
};

// The most bytes of a batch in one message. A longer batch is sent in several messages.
inline constexpr int64_t kMaxFrameBytes = int64_t{8} << 20;

// Shares the columns with the message unless they are compressed. They are compressed only if that
// makes them smaller and they fit into one message. A batch that is not compressed and longer than
// kMaxFrameBytes becomes several messages, which follow one another in the stream. They differ only
// in their part of the batch's bytes. Each has the number of all bytes (`num_bytes`).
// INVALID_ARGUMENT for a batch of more than kMaxBatchBytes.
struct EncodedFrames {
  std::vector<grpc::ByteBuffer> messages = {};
  std::vector<EncodingCost> costs = {};
};
absl::StatusOr<EncodedFrames> EncodeFrames(const BatchMessage& message,
                                           const CompressionPolicy::Plan& plan);

struct DecodedFrame {
  BatchMessage message = {};
  // The bytes of the bulk.
  int64_t num_bytes = 0;
  int64_t num_wire_bytes = 0;
  v1::Compression compression = v1::COMPRESSION_UNSPECIFIED;
};

// Decodes the messages of one stream. Thread-compatible.
class FrameDecoder {
 public:
  // Returns std::nullopt when the batch continues in the next message. Copies the bulk at most
  // once, or twice when it came in several messages; decompression is extra. DATA_LOSS when the
  // bytes are not a message.
  absl::StatusOr<std::optional<DecodedFrame>> Decode(const grpc::ByteBuffer& bytes);

 private:
  // Returns whether the batch is complete now.
  absl::StatusOr<bool> Append(const v1::ReadBatchesResponse& fields, const batch::Buffer& bytes);

  // The first message of an incomplete batch.
  std::optional<v1::ReadBatchesResponse> begun_;
  batch::Buffer bytes_;
  size_t num_here_ = 0;
};

}  // namespace tidemill::preprocess

// A batch message as messages of WorkerService.ReadBatches, one unless it is long, its bulk passed
// along by reference.
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

// What compressing came to, for CompressionPolicy::Encoded().
struct EncodingCost {
  v1::Compression compression = v1::COMPRESSION_UNSPECIFIED;
  int64_t bytes = 0;
  int64_t compressed_bytes = 0;
  double seconds = 0;
};

// Of the bulk of a batch; a longer one goes in several messages.
inline constexpr int64_t kMaxFrameBytes = int64_t{8} << 20;

// Shares the columns with the message unless they are compressed, which they are only where that
// makes them smaller and fit into one message. A batch that is not compressed and longer than
// kMaxFrameBytes becomes several messages, alike but for their part of its bytes: they all say how
// many it has (`num_bytes`), and follow one another in the stream. INVALID_ARGUMENT for a batch of
// more than kMaxBatchBytes.
struct EncodedFrames {
  std::vector<grpc::ByteBuffer> messages = {};
  std::vector<EncodingCost> costs = {};
};
absl::StatusOr<EncodedFrames> EncodeFrames(const BatchMessage& message,
                                           const CompressionPolicy::Plan& plan);

struct DecodedFrame {
  BatchMessage message = {};
  // Of the bulk.
  int64_t num_bytes = 0;
  int64_t num_wire_bytes = 0;
  v1::Compression compression = v1::COMPRESSION_UNSPECIFIED;
};

// What comes from one stream. Thread-compatible.
class FrameDecoder {
 public:
  // std::nullopt when the batch goes on in the next message. Copies the bulk at most once, besides
  // decompressing it, or twice when it came in several messages. DATA_LOSS for whatever is no
  // message.
  absl::StatusOr<std::optional<DecodedFrame>> Decode(const grpc::ByteBuffer& bytes);

 private:
  // Whether the batch is whole now.
  absl::StatusOr<bool> Append(const v1::ReadBatchesResponse& fields, const batch::Buffer& bytes);

  // The first message of a batch that is not whole.
  std::optional<v1::ReadBatchesResponse> begun_;
  batch::Buffer bytes_;
  size_t num_here_ = 0;
};

}  // namespace tidemill::preprocess

#include "preprocess/transport/batch_frame.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "batch/wire.h"
#include "preprocess/transport/codec.h"
#include "rpc/byte_frames.h"
#include "rpc/limits.h"

namespace tidemill::preprocess {

namespace {

constexpr int kBulk = v1::ReadBatchesResponse::kBatchFieldNumber;
// Taken from a batch in pieces all over it, to see how well it compresses.
constexpr size_t kProbePieceBytes = size_t{16} << 10;
constexpr size_t kProbePieces = 8;

struct Compressed {
  batch::Buffer bytes;
  EncodingCost cost;
};

absl::StatusOr<Compressed> TimedCompress(v1::Compression compression,
                                         std::span<const batch::Buffer> parts) {
  EncodingCost cost{.compression = compression};
  for (const batch::Buffer& part : parts) cost.bytes += static_cast<int64_t>(part.size());
  const auto begin = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(batch::Buffer bytes, Compress(compression, parts));
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  cost.compressed_bytes = static_cast<int64_t>(bytes.size());
  return Compressed{.bytes = std::move(bytes), .cost = cost};
}

// Pieces at even distances; all of it when it is short.
std::vector<batch::Buffer> ProbeOf(std::span<const batch::Buffer> parts) {
  size_t size = 0;
  for (const batch::Buffer& part : parts) size += part.size();
  const size_t distance = std::max(size / kProbePieces, kProbePieceBytes);
  std::vector<batch::Buffer> pieces;
  size_t begin = 0;  // Of the part, in all.
  size_t next = 0;   // Where the next piece begins.
  for (const batch::Buffer& part : parts) {
    for (; next < begin + part.size(); next += distance) {
      const size_t offset = next - begin;
      pieces.push_back(part.Slice(offset, std::min(kProbePieceBytes, part.size() - offset)));
    }
    begin += part.size();
  }
  return pieces;
}

v1::ReadBatchesResponse FieldsOf(const BatchMessage& message) {
  v1::ReadBatchesResponse fields;
  fields.set_lane(message.lane);
  fields.set_number(message.number);
  fields.set_attempt(message.attempt);
  fields.set_num_skipped(message.num_skipped);
  fields.set_reason(message.reason);
  return fields;
}

}  // namespace

absl::StatusOr<EncodedFrame> EncodeFrame(const BatchMessage& message,
                                         const CompressionPolicy::Plan& plan) {
  v1::ReadBatchesResponse fields = FieldsOf(message);
  EncodedFrame frame;
  std::vector<batch::Buffer> parts;
  if (!message.rows.columns().empty()) {
    parts = batch::EncodeParts(message.rows);
    fields.set_num_bytes(BytesOf(message));
  }
  if (plan.probe != v1::COMPRESSION_UNSPECIFIED) {
    ASSIGN_OR_RETURN(const Compressed probe, TimedCompress(plan.probe, ProbeOf(parts)));
    frame.costs.push_back(probe.cost);
  }
  if (plan.use != v1::COMPRESSION_UNSPECIFIED && !parts.empty()) {
    ASSIGN_OR_RETURN(Compressed compressed, TimedCompress(plan.use, parts));
    frame.costs.push_back(compressed.cost);
    if (compressed.cost.compressed_bytes < compressed.cost.bytes) {
      parts = {std::move(compressed.bytes)};
      fields.set_compression(plan.use);
    }
  }
  frame.bytes = rpc::MakeFrame(kBulk, parts, fields.SerializeAsString());
  if (frame.bytes.Length() > static_cast<size_t>(rpc::kMaxMessageBytes)) {
    return ResourceExhausted(
        "batch {} of lane {} has {} bytes, a message at most {}: make smaller batches",
        message.number, message.lane, frame.bytes.Length(), rpc::kMaxMessageBytes);
  }
  return frame;
}

absl::StatusOr<DecodedFrame> DecodeFrame(const grpc::ByteBuffer& bytes) {
  ASSIGN_OR_RETURN(rpc::Frame frame, rpc::TakeFrame(bytes, kBulk));
  v1::ReadBatchesResponse fields;
  if (!fields.ParseFromString(frame.rest)) return DataLoss("a message is no batch");
  DecodedFrame decoded{.message = {.lane = fields.lane(),
                                   .number = fields.number(),
                                   .attempt = fields.attempt(),
                                   .num_skipped = fields.num_skipped(),
                                   .reason = std::move(*fields.mutable_reason())},
                       .num_wire_bytes = static_cast<int64_t>(frame.bulk.size())};
  if (frame.bulk.empty()) return decoded;
  batch::Buffer rows = std::move(frame.bulk);
  if (fields.compression() != v1::COMPRESSION_UNSPECIFIED) {
    ASSIGN_OR_RETURN(rows, Decompress(fields.compression(), rows, fields.num_bytes()));
  }
  decoded.num_bytes = static_cast<int64_t>(rows.size());
  ASSIGN_OR_RETURN(decoded.message.rows, batch::Decode(std::move(rows)));
  return decoded;
}

}  // namespace tidemill::preprocess

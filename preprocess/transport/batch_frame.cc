#include "preprocess/transport/batch_frame.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "batch/wire.h"
#include "preprocess/transport/codec.h"
#include "rpc/streams/byte_frames.h"

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
  size_t begin = 0;  // The place of the part within all parts.
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
  fields.set_num_filtered(message.num_filtered);
  fields.set_reason(message.reason);
  return fields;
}

// Cuts consecutive parts into runs of at most `most_bytes` bytes; one run when there are none.
std::vector<std::vector<batch::Buffer>> RunsOf(std::span<const batch::Buffer> parts,
                                               size_t most_bytes) {
  std::vector<std::vector<batch::Buffer>> runs(1);
  size_t room = most_bytes;
  for (const batch::Buffer& part : parts) {
    for (size_t begin = 0; begin < part.size();) {
      if (room == 0) {
        runs.emplace_back();
        room = most_bytes;
      }
      const size_t size = std::min(room, part.size() - begin);
      runs.back().push_back(part.Slice(begin, size));
      begin += size;
      room -= size;
    }
  }
  return runs;
}

DecodedFrame Describe(v1::ReadBatchesResponse fields) {
  return {.message = {.lane = fields.lane(),
                      .number = fields.number(),
                      .attempt = fields.attempt(),
                      .num_skipped = fields.num_skipped(),
                      .num_filtered = fields.num_filtered(),
                      .reason = std::move(*fields.mutable_reason())},
          .compression = fields.compression()};
}

}  // namespace

absl::StatusOr<EncodedFrames> EncodeFrames(const BatchMessage& message,
                                           const CompressionPolicy::Plan& plan) {
  v1::ReadBatchesResponse fields = FieldsOf(message);
  EncodedFrames frames;
  std::vector<batch::Buffer> parts;
  if (!message.rows.columns().empty()) {
    parts = batch::EncodeParts(message.rows);
    fields.set_num_bytes(BytesOf(message));
  }
  if (fields.num_bytes() > kMaxBatchBytes) {
    return InvalidArgument(
        "batch {} of lane {} has {} bytes, but at most {} can be sent; make smaller batches",
        message.number, message.lane, fields.num_bytes(), kMaxBatchBytes);
  }
  if (plan.probe != v1::COMPRESSION_UNSPECIFIED) {
    ASSIGN_OR_RETURN(const Compressed probe, TimedCompress(plan.probe, ProbeOf(parts)));
    frames.costs.push_back(probe.cost);
  }
  if (plan.use != v1::COMPRESSION_UNSPECIFIED && !parts.empty()) {
    ASSIGN_OR_RETURN(Compressed compressed, TimedCompress(plan.use, parts));
    frames.costs.push_back(compressed.cost);
    if (compressed.cost.compressed_bytes < std::min(compressed.cost.bytes, kMaxFrameBytes)) {
      parts = {std::move(compressed.bytes)};
      fields.set_compression(plan.use);
    }
  }
  const std::string rest = fields.SerializeAsString();
  for (const auto& run : RunsOf(parts, static_cast<size_t>(kMaxFrameBytes))) {
    frames.messages.push_back(rpc::MakeFrame(kBulk, run, rest));
  }
  return frames;
}

absl::StatusOr<std::optional<DecodedFrame>> FrameDecoder::Decode(const grpc::ByteBuffer& bytes) {
  ASSIGN_OR_RETURN(rpc::Frame frame, rpc::TakeFrame(bytes, kBulk));
  v1::ReadBatchesResponse fields;
  if (!fields.ParseFromString(frame.rest)) return DataLoss("a message is not a batch");
  batch::Buffer rows = std::move(frame.bulk);
  const auto wire_bytes = static_cast<int64_t>(rows.size());
  const bool is_compressed = fields.compression() != v1::COMPRESSION_UNSPECIFIED;
  if (begun_ || (!is_compressed && !rows.empty() && wire_bytes < fields.num_bytes())) {
    ASSIGN_OR_RETURN(const bool is_whole, Append(fields, rows));
    if (!is_whole) return std::optional<DecodedFrame>();
    begun_.reset();
    rows = std::exchange(bytes_, {});
  } else if (is_compressed) {
    ASSIGN_OR_RETURN(rows, Decompress(fields.compression(), rows, fields.num_bytes()));
  }
  DecodedFrame decoded = Describe(std::move(fields));
  decoded.num_bytes = static_cast<int64_t>(rows.size());
  decoded.num_wire_bytes = is_compressed ? wire_bytes : decoded.num_bytes;
  if (!rows.empty()) {
    ASSIGN_OR_RETURN(decoded.message.rows, batch::Decode(std::move(rows)));
  }
  return std::optional<DecodedFrame>(std::move(decoded));
}

absl::StatusOr<bool> FrameDecoder::Append(const v1::ReadBatchesResponse& fields,
                                          const batch::Buffer& bytes) {
  if (fields.num_bytes() > kMaxBatchBytes) {
    return DataLoss("a batch claims to have {} bytes", fields.num_bytes());
  }
  if (!begun_) {
    begun_ = fields;
    num_here_ = 0;
    bytes_ = batch::Buffer::AllocateUnwritten(static_cast<size_t>(fields.num_bytes()));
  }
  const bool is_next = fields.lane() == begun_->lane() && fields.number() == begun_->number() &&
                       fields.num_bytes() == begun_->num_bytes() &&
                       fields.compression() == v1::COMPRESSION_UNSPECIFIED;
  if (!is_next || bytes.empty() || bytes.size() > bytes_.size() - num_here_) {
    return DataLoss("a message does not continue batch {} of lane {}", begun_->number(),
                    begun_->lane());
  }
  std::memcpy(bytes_.mutable_data() + num_here_, bytes.data(), bytes.size());
  num_here_ += bytes.size();
  return num_here_ == bytes_.size();
}

}  // namespace tidemill::preprocess

// Messages whose bulk is passed along by reference. On the wire they are what their proto says;
// only neither end hands the bulk to protobuf, which would copy it once on each side.
//
//   message ReadSamplesResponse { bytes batch = 1; repeated MissingSample missing = 2; }
//
//   grpc::ByteBuffer message = rpc::MakeFrame(1, batch::EncodeParts(batch),
//   others.SerializeAsString()); ASSIGN_OR_RETURN(const rpc::Frame frame, rpc::TakeFrame(message,
//   1)); ASSIGN_OR_RETURN(const batch::Batch batch, batch::Decode(frame.bulk));
#pragma once

#include <span>
#include <string>

#include "google/protobuf/message_lite.h"
#include "grpcpp/support/byte_buffer.h"

#include "base/status.h"
#include "batch/buffer.h"

namespace tidemill::rpc {

// A message taken apart.
struct Frame {
  // The field of type bytes, in one piece and aligned to 64 bytes. Empty when it was not there.
  batch::Buffer bulk;
  // The other fields, serialised as they came.
  std::string rest;
};

// The message with `parts`, one behind another, as its field `field` of type bytes, followed by
// `rest`, other fields already serialised. Copies parts of a few bytes only; the message shares the
// others with their owners until it was sent.
grpc::ByteBuffer MakeFrame(int field, std::span<const batch::Buffer> parts,
                           const std::string& rest = {});

// Takes a received message apart. Copies the bulk once, or not at all where it lies in one piece.
// DATA_LOSS for bytes that are no message, whatever they are.
absl::StatusOr<Frame> TakeFrame(const grpc::ByteBuffer& message, int field);

// A message without bulk.
grpc::ByteBuffer ToBytes(const google::protobuf::MessageLite& message);
// INVALID_ARGUMENT for bytes that are no such message.
absl::Status FromBytes(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message);

}  // namespace tidemill::rpc

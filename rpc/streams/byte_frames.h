// Messages whose bulk is passed by reference. On the wire they are what their proto says. But
// neither end gives the bulk to protobuf, which would copy it once on each side.
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

// The parts of a message.
struct Frame {
  // The field of type bytes, in one piece and aligned to 64 bytes. Empty when it was missing.
  batch::Buffer bulk;
  // The other fields, serialised as they came.
  std::string rest;
};

// Returns the message with `parts`, one after another, as its field `field` of type bytes, followed
// by `rest`, other fields that are serialised already. Copies only parts of a few bytes. The
// message shares the others with their owners until it is sent.
grpc::ByteBuffer MakeFrame(int field, std::span<const batch::Buffer> parts,
                           const std::string& rest = {});

// Takes a received message apart. Copies the bulk once, or not at all if it is in one piece.
// DATA_LOSS when the bytes are not a message.
absl::StatusOr<Frame> TakeFrame(const grpc::ByteBuffer& message, int field);

// Returns a message without bulk.
grpc::ByteBuffer ToBytes(const google::protobuf::MessageLite& message);
// INVALID_ARGUMENT when the bytes are not such a message.
absl::Status FromBytes(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message);

}  // namespace tidemill::rpc

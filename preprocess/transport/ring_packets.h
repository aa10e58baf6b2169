// What the ends of a ring say on their socket: docs/formats/batch_ring.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/local_socket.h"
#include "base/status.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// The kind of their socket.
inline constexpr LocalSocket::Kind kRingSocketKind = LocalSocket::Kind::kPackets;
// The longest packet that is received.
inline constexpr size_t kMaxPacketBytes = size_t{64} << 10;
// How long the other end may be dead, or this one's end asked for, before that is noticed.
inline constexpr std::chrono::milliseconds kLook{50};

// What one end says at once.
struct Packet {
  std::string bytes = {};
  Descriptor descriptor = {};
};
// Sends `bytes`, and `descriptor` unless it is negative, without waiting. UNAVAILABLE when the
// connection is broken, or when the other end reads nothing.
absl::Status SendPacket(const LocalSocket& socket, std::string_view bytes, int descriptor = -1);
// Receives the next packet. std::nullopt: nothing is there now. UNAVAILABLE when the connection is
// broken or closed, DATA_LOSS for a packet that is too long or comes with several descriptors.
absl::StatusOr<std::optional<Packet>> ReceivePacket(const LocalSocket& socket);

// A consumer's only packet.
struct RingRequest {
  std::string token = {};
  int64_t ring_bytes = 0;
  v1::ReadBatchesRequest::Open open = {};
};
// INVALID_ARGUMENT for one that is too long to be sent.
absl::StatusOr<std::string> Encode(const RingRequest& request);
// INVALID_ARGUMENT for bytes that are none.
absl::StatusOr<RingRequest> DecodeRingRequest(std::string_view bytes);

// A worker's first packet, with the descriptor of the ring if the status is OK; and its last one,
// which tells the end.
struct RingAnswer {
  absl::Status status = {};
  // It is the ring that fails, not the request.
  bool may_use_frames = false;
};
// Cuts messages that are too long.
std::string Encode(const RingAnswer& answer);
// DATA_LOSS for bytes that are none.
absl::StatusOr<RingAnswer> DecodeRingAnswer(std::string_view bytes);

}  // namespace tidemill::preprocess

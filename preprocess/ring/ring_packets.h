// The packets that the ends of a ring exchange on their socket. See docs/formats/batch_ring.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/paths/local_socket.h"
#include "base/status.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// The kind of their socket.
inline constexpr LocalSocket::Kind kRingSocketKind = LocalSocket::Kind::kPackets;
// The longest packet that is received.
inline constexpr size_t kMaxPacketBytes = size_t{64} << 10;
// The longest time to notice that the other end is dead, or that this end must stop.
inline constexpr std::chrono::milliseconds kLook{50};

// One packet of an end.
struct Packet {
  std::string bytes = {};
  Descriptor descriptor = {};
};
// Sends `bytes`, and `descriptor` unless it is negative, without waiting. UNAVAILABLE when the
// connection is broken, or when the other end does not read.
absl::Status SendPacket(const LocalSocket& socket, std::string_view bytes, int descriptor = -1);
// Receives the next packet. Returns std::nullopt when there is none now. UNAVAILABLE when the
// connection is broken or closed. DATA_LOSS when a packet is too long or has several descriptors.
absl::StatusOr<std::optional<Packet>> ReceivePacket(const LocalSocket& socket);

// The only packet of a consumer.
struct RingRequest {
  std::string token = {};
  int64_t ring_bytes = 0;
  v1::ReadBatchesRequest::Open open = {};
};
// INVALID_ARGUMENT when the request is too long to send.
absl::StatusOr<std::string> Encode(const RingRequest& request);
// INVALID_ARGUMENT when the bytes are not a request.
absl::StatusOr<RingRequest> DecodeRingRequest(std::string_view bytes);

// The first packet of a worker, with the descriptor of the ring if the status is OK, and its last
// packet, which announces the end.
struct RingAnswer {
  absl::Status status = {};
  // Whether the ring failed, and not the request.
  bool may_use_frames = false;
};
// Shortens messages that are too long.
std::string Encode(const RingAnswer& answer);
// DATA_LOSS when the bytes are not an answer.
absl::StatusOr<RingAnswer> DecodeRingAnswer(std::string_view bytes);

}  // namespace tidemill::preprocess

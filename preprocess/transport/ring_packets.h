// What the ends of a ring say on their socket: docs/formats/batch_ring.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

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

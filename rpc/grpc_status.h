// The only place where absl::Status and grpc::Status meet. The two enums have the same numbers, so
// each direction is one cast.
//
// A message travels in a header, of which a peer accepts a few kilobytes only. A longer one would
// turn the failure into another, RESOURCE_EXHAUSTED. ToGrpc() therefore cuts it, and says so at its
// end.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace tidemill {

// The most bytes of a message in a header, where most characters take one byte and others three.
inline constexpr size_t kMostMessageBytes = 6'000;

grpc::Status ToGrpc(const absl::Status& status);

inline absl::Status FromGrpc(const grpc::Status& status) {
  return {static_cast<absl::StatusCode>(status.error_code()), status.error_message()};
}

}  // namespace tidemill

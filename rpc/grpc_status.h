// Converts between absl::Status and grpc::Status. The two enums have the same numbers, so each
// conversion is one cast.
//
// A message is sent in a header, and a peer accepts headers of only a few kilobytes. A longer
// message would turn the failure into RESOURCE_EXHAUSTED. ToGrpc() therefore cuts the message, and
// says so at its end. Findings (config/documents/problems.h) are sent beside a message where there
// is room.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace tidemill {

// The most bytes of a message in a header, where most characters take one byte and others three.
inline constexpr size_t kMaxReasonBytes = 6'000;

grpc::Status ToGrpc(const absl::Status& status);

absl::Status FromGrpc(const grpc::Status& status);

// Ends a handler with the error of an absl::Status.
#define RETURN_GRPC_IF_ERROR(expression)                          \
  do {                                                            \
    if (const absl::Status failed = (expression); !failed.ok()) { \
      return ::tidemill::ToGrpc(failed);                          \
    }                                                             \
  } while (false)

}  // namespace tidemill

// Where services listen: "unix:/absolute/path" or "host:port".
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::rpc {

// A parsed endpoint. A value.
struct Address {
  enum class Kind { kUnix, kLoopback, kNetwork };

  Kind kind = Kind::kUnix;
  // Of kUnix.
  std::string path;
  // Of the others: the host without brackets, and the port.
  std::string host;
  int port = 0;
};

// INVALID_ARGUMENT names what is wrong. The names that mean loopback are localhost, 127.x.x.x, ::1.
absl::StatusOr<Address> ParseAddress(const std::string& endpoint);

// What gRPC listens on and connects to.
std::string FormatAddress(const Address& address);

}  // namespace tidemill::rpc

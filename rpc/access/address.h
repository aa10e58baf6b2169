// The addresses of services: "unix:/absolute/path" or "host:port".
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::rpc {

// A parsed endpoint. A value.
struct Address {
  enum class Kind { kUnix, kLoopback, kNetwork };

  Kind kind = Kind::kUnix;
  // For kUnix.
  std::string path;
  // For the other kinds: the host without brackets, and the port.
  std::string host;
  int port = 0;
};

// INVALID_ARGUMENT names what is wrong. The names of loopback are localhost, 127.x.x.x and ::1.
absl::StatusOr<Address> ParseAddress(const std::string& endpoint);

// Returns the address in the form that gRPC listens on and connects to.
std::string FormatAddress(const Address& address);

}  // namespace tidemill::rpc

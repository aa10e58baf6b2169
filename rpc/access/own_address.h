// The addresses at which a process of several copies listens, and at which others reach it.
//
//   listens at          others reach it at
//   0.0.0.0:50058       10.0.3.17:50058     the address of the route to a service
//   auto                the same, with a port that is free; on UNIX sockets, one beside theirs
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::rpc {

// The value of --listen that lets a process choose.
inline constexpr char kListenAutomatically[] = "auto";

// Returns where to listen: if `beside`, the endpoint of a service that it calls, is a UNIX socket,
// a socket of a new name in the same folder. On loopback, a free port there. Else a free port of
// every address of this host. `service` begins the socket's name.
absl::StatusOr<std::string> ChooseEndpoint(const std::string& service, const std::string& beside);

// Returns the endpoint at which others reach a server that listens at `listening`. If that is every
// address of this host, the address is the one from which this host reaches `peer`, or, while the
// name of `peer` is unknown, that of its default route. UNAVAILABLE without either.
absl::StatusOr<std::string> ReachableEndpoint(const std::string& listening,
                                              const std::string& peer);

}  // namespace tidemill::rpc

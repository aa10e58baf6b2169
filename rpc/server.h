// A gRPC server on a UNIX socket or a TCP port. It refuses every caller without a token whose role
// the method's proto allows. One place checks this and denies by default, so that no method can
// omit the check.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "grpcpp/grpcpp.h"

#include "base/status.h"
#include "rpc/access/tls.h"
#include "rpc/access/tokens.h"
#include "rpc/limits.h"

namespace tidemill::rpc {

struct ServerOptions {
  // "unix:/absolute/path" or "host:port"; port 0 picks a free one.
  std::string listen;
  // A second address for other hosts; none when empty.
  std::string network = {};
  // Allows an address off loopback without `tls`. Never needed on one machine.
  bool insecure = false;
  // The certificates to encrypt and verify TCP.
  Tls tls = nullptr;
  // The most threads that run handlers. A call beyond them is RESOURCE_EXHAUSTED.
  int max_threads = kMaxHandlerThreads;
};

// Thread-safe. The destructor stops it.
class Server {
 public:
  // Starts to serve. INVALID_ARGUMENT for an address off loopback with neither `tls` nor
  // `insecure`, or when a method of a service has no `allowed` roles. UNAVAILABLE when the address
  // is taken. `services` must outlive the server. `tokens` is copied.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       const Tokens& tokens,
                                                       const std::vector<grpc::Service*>& services);
  ~Server();

  // The endpoint for clients, with the port that was picked.
  const std::string& endpoint() const { return endpoint_; }

  // Refuses new calls, cancels running ones after `grace`, and returns when all have ended.
  void Stop(std::chrono::milliseconds grace = std::chrono::milliseconds{500});

 private:
  Server() = default;
  std::string endpoint_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace tidemill::rpc

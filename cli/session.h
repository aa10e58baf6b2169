// A connection of the command line to a stack.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "cli/local_stack.h"
#include "rpc/channel.h"

namespace tidemill::cli {

// Speaks to the services of one local stack with the operator's token. Thread-compatible.
class Session {
 public:
  // UNAVAILABLE when no stack runs in that state folder.
  static absl::StatusOr<Session> Attach(const std::string& state_folder);
  // Starts a stack when none runs; `started` tells which.
  static absl::StatusOr<Session> AttachOrStart(const std::string& state_folder);

  // Makes one unary call: `session.Call<v1::SupervisorService>("supervisor", &Stub::GetRun, ...)`.
  template <typename Service, typename Method, typename Request, typename Response>
  absl::Status Call(const char* service, Method method, const Request& request,
                    Response* response) const {
    const rpc::Peer peer = PeerOf(service);
    const auto stub = Service::NewStub(rpc::Connect(peer));
    return rpc::Call(peer, *stub, method, request, response);
  }

  rpc::Peer PeerOf(const std::string& service) const;
  const StackLayout& layout() const { return layout_; }
  // Whether this session started the stack.
  bool started() const { return started_; }

 private:
  StackLayout layout_;
  std::string token_;
  bool started_ = false;
};

}  // namespace tidemill::cli

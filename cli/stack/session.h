// A connection of the command line to a stack.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/stack/local_stack.h"
#include "cli/stack/stack_use.h"
#include "rpc/channel.h"
#include "rpc/grpc_status.h"

namespace tidemill::cli {

// A system configuration is no larger.
inline constexpr size_t kMostConfigBytes = size_t{1} << 20;

// Which stack a command speaks to, as its flags say; an empty one is looked for in the environment
// variable of the same name (TIDEMILL_CONFIG, TIDEMILL_TLS_CA, ...). With `config` or `server` the
// stack is a remote one, else the local one of a state folder.
struct StackAddress {
  std::string state;   // State folder of a local stack.
  std::string config;  // A system configuration, for its `cluster` section.
  std::string server;  // Endpoint of the supervisor; alone, the other services are out of reach.
  std::string token_file;
  std::string tls_ca;
  std::string tls_certificate;
  std::string tls_key;
  std::string timeout;  // Longest wait for a call: "90s". Empty: a minute.
};

// Which local stacks a command starts where none runs.
enum class StartStackOf {
  kAnything,
  kEarlierWork,  // Only where a stack has run before: elsewhere there is nothing to read.
};

// Speaks to the services of one stack with the operator's token. Thread-compatible.
class Session {
 public:
  // UNAVAILABLE when no local stack runs in that state folder; INVALID_ARGUMENT when a remote one
  // is not described in full.
  static absl::StatusOr<Session> Attach(const StackAddress& address);
  // Uses the stack for as long as the session and its copies live. Where no local stack runs,
  // starts one for now, as stack_use.h has it, and says so on stderr unless it is to be `quiet`. A
  // remote stack is never started.
  static absl::StatusOr<Session> AttachOrStart(const StackAddress& address, StartStackOf start,
                                               bool quiet);

  // Makes one unary call: `session.Call<v1::SupervisorService>("supervisor", &Stub::GetRun, ...)`.
  template <typename Service, typename Method, typename Request, typename Response>
  absl::Status Call(const char* service, Method method, const Request& request,
                    Response* response) const {
    RETURN_IF_ERROR(CheckReach(service));
    const rpc::Peer peer = PeerOf(service);
    const auto stub = Service::NewStub(rpc::Connect(peer));
    return rpc::Call(peer, *stub, method, request, response);
  }

  // Reads a stream to its end: `on_message(message)` for each message of type Message.
  template <typename Service, typename Message, typename Method, typename Request,
            typename OnMessage>
  absl::Status Stream(const char* service, Method method, const Request& request,
                      const OnMessage& on_message) const {
    RETURN_IF_ERROR(CheckReach(service));
    const rpc::Peer peer = PeerOf(service);
    const auto stub = Service::NewStub(rpc::Connect(peer));
    grpc::ClientContext context;
    rpc::Prepare(peer, std::chrono::milliseconds{0}, context);
    const auto reader = (stub.get()->*method)(&context, request);
    for (Message message; reader->Read(&message);) on_message(message);
    return FromGrpc(reader->Finish());
  }

  rpc::Peer PeerOf(const std::string& service) const;
  // Lets the stack's storage read datasets below `folders`. A remote stack's own configuration
  // decides that, and nothing is done.
  absl::Status AllowDataRoots(const std::vector<std::string>& folders) const;

  bool remote() const { return remote_; }
  // Of a local stack.
  const StackLayout& layout() const { return layout_; }
  // Null for a remote stack, and for a session that was only attached.
  StackUse* use() const { return use_.get(); }

 private:
  static absl::StatusOr<Session> AttachRemote(const StackAddress& address);
  // FAILED_PRECONDITION when a remote stack's service has no endpoint that this side knows.
  absl::Status CheckReach(const std::string& service) const;

  StackLayout layout_;
  std::map<std::string, std::string> endpoints_;
  std::string token_;
  rpc::Tls tls_;
  std::chrono::milliseconds deadline_{60'000};
  bool remote_ = false;
  std::shared_ptr<StackUse> use_;  // By all copies.
};

// The address with what the environment adds.
StackAddress WithEnvironment(StackAddress address);

}  // namespace tidemill::cli

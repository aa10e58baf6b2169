// The connection of a command to a stack.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/stack/local_stack.h"
#include "cli/stack/stack_use.h"
#include "cli/stack/wait_note.h"
#include "rpc/channel.h"
#include "rpc/grpc_status.h"

namespace tidemill::cli {

// The most bytes of a system configuration.
inline constexpr size_t kMostConfigBytes = size_t{1} << 20;

// The stack that a command uses, by its flags. An empty one is looked up in the environment
// variable of the same name (TIDEMILL_CONFIG, TIDEMILL_TLS_CA, ...). With `config` or `server`, the
// stack is remote. Otherwise it is the local one of a state folder.
struct StackAddress {
  std::string state;   // The state folder of a local stack.
  std::string config;  // The path of a system configuration, for its `cluster` section.
  // The endpoint of the supervisor. Without `config`, the other services cannot be reached.
  std::string server;
  std::string token_file;
  std::string tls_ca;
  std::string tls_certificate;
  std::string tls_key;
  std::string timeout;  // The longest wait for a call: "90s". Empty means a minute.
  // Whether nothing is said about a service that keeps the command waiting.
  bool quiet = false;
};

// Which local stacks a command starts when none runs.
enum class StartStackOf {
  kAnything,
  kEarlierWork,  // Only a stack that has run before: without one, there is nothing to read.
};

// Calls the services of one stack with the operator's token. Thread-compatible.
class Session {
 public:
  // UNAVAILABLE when no local stack runs in that state folder. INVALID_ARGUMENT when a remote one
  // is not completely described.
  static absl::StatusOr<Session> Attach(const StackAddress& address);
  // Uses the stack for as long as the session and its copies live. When no local stack runs, starts
  // one for the time being (see stack_use.h), and says so on stderr unless `quiet`. A remote stack
  // is never started.
  static absl::StatusOr<Session> AttachOrStart(const StackAddress& address, StartStackOf start,
                                               bool quiet);

  // Makes one unary call: `session.Call<v1::SupervisorService>("supervisor", &Stub::GetRun, ...)`.
  // Says on stderr when the service keeps it waiting, unless the address is quiet.
  template <typename Service, typename Method, typename Request, typename Response>
  absl::Status Call(const char* service, Method method, const Request& request,
                    Response* response) const {
    RETURN_IF_ERROR(CheckReach(service));
    const rpc::Peer peer = PeerOf(service);
    const auto stub = Service::NewStub(rpc::Connect(peer));
    const auto note = NoteWait(service);
    return rpc::Call(peer, *stub, method, request, response);
  }

  // Reads a stream to its end. Calls `on_message(message)` for each message of type Message. Waits
  // for a service that is not connected as long as a unary call would.
  template <typename Service, typename Message, typename Method, typename Request,
            typename OnMessage>
  absl::Status Stream(const char* service, Method method, const Request& request,
                      const OnMessage& on_message) const {
    RETURN_IF_ERROR(CheckReach(service));
    const rpc::Peer peer = PeerOf(service);
    const std::shared_ptr<grpc::Channel> channel = rpc::Connect(peer);
    {
      const auto note = NoteWait(service);
      rpc::AwaitConnected(*channel, peer.stop, std::chrono::steady_clock::now() + peer.deadline);
    }
    const auto stub = Service::NewStub(channel);
    grpc::ClientContext context;
    rpc::Prepare(peer, std::chrono::milliseconds{0}, context);
    const auto reader = (stub.get()->*method)(&context, request);
    for (Message message; reader->Read(&message);) on_message(message);
    return FromGrpc(reader->Finish());
  }

  rpc::Peer PeerOf(const std::string& service) const;
  // Allows the stack's storage to read datasets below `folders`. For a remote stack, does nothing:
  // its own configuration decides that.
  absl::Status AllowDataRoots(const std::vector<std::string>& folders) const;

  bool remote() const { return remote_; }
  // The layout of a local stack.
  const StackLayout& layout() const { return layout_; }
  // Returns nullptr for a remote stack, and for a session from Attach().
  StackUse* use() const { return use_.get(); }

 private:
  static absl::StatusOr<Session> AttachRemote(const StackAddress& address);
  // FAILED_PRECONDITION when the endpoint of a remote stack's service is unknown.
  absl::Status CheckReach(const std::string& service) const;
  // Speaks while it lives. Nothing when the session is quiet.
  std::unique_ptr<WaitNote> NoteWait(const char* service) const;

  StackLayout layout_;
  std::map<std::string, std::string> endpoints_;
  std::string token_;
  rpc::Tls tls_;
  std::chrono::milliseconds deadline_{60'000};
  bool remote_ = false;
  bool quiet_ = false;
  std::shared_ptr<StackUse> use_;  // All copies share it.
};

// Returns the address with what the environment adds.
StackAddress WithEnvironment(StackAddress address);

}  // namespace tidemill::cli

// The connection of a command to a stack.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/stack/local_stack.h"
#include "cli/stack/stack_use.h"
#include "cli/stack/wait_note.h"
#include "rpc/channel.h"

namespace tidemill::cli {

// The most bytes of a system configuration.
inline constexpr size_t kMaxConfigBytes = size_t{1} << 20;

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
  // Whether to be silent about a service that keeps the command waiting.
  bool quiet = false;
};

// Makes this process run plug-ins as the stack does: with the `cluster.plugins` of its
// configuration, which the environment overrides. Does nothing without a configuration.
void UsePluginSettings(const StackAddress& address);

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
  // a temporary one (see stack_use.h), and says so on stderr unless `quiet`. A remote stack is
  // never started.
  static absl::StatusOr<Session> AttachOrStart(const StackAddress& address, StartStackOf start,
                                               bool quiet);

  // Asks a service by its client: `session.Ask(&supervisor::SupervisorClient::GetRun, run, false)`.
  // Says on stderr when the service keeps it waiting, unless the address is quiet.
  template <typename Method, typename... Arguments>
  auto Ask(Method method, const Arguments&... arguments) const {
    using Client = ClientOf<Method>;
    using Result = std::invoke_result_t<Method, Client, const Arguments&...>;
    if (absl::Status reach = CheckReach(Client::kService); !reach.ok()) return Result(reach);
    Client client(PeerOf(Client::kService));
    const auto note = NoteWait(Client::kService);
    return (client.*method)(arguments...);
  }

  // Asks for a stream, which may take long. Waits for the connection as long as Ask() does, and
  // says so; later waits are not reported.
  template <typename Method, typename... Arguments>
  auto Follow(Method method, const Arguments&... arguments) const {
    using Client = ClientOf<Method>;
    using Result = std::invoke_result_t<Method, Client, const Arguments&...>;
    // The client shares its connection.
    const auto channel = AwaitConnected(Client::kService);
    if (!channel.ok()) return Result(channel.status());
    Client client(PeerOf(Client::kService));
    return (client.*method)(arguments...);
  }

  rpc::Peer PeerOf(const std::string& service) const;
  // Allows the stack's storage to read datasets below `folders`. For a remote stack, does nothing:
  // its own configuration decides that.
  absl::Status AllowDataRoots(const std::vector<std::string>& folders) const;

  bool remote() const { return remote_; }
  // Whether commands print nothing but results and errors.
  bool quiet() const { return quiet_; }
  // The layout of a local stack.
  const StackLayout& layout() const { return layout_; }
  // Returns nullptr for a remote stack, and for a session from Attach().
  StackUse* use() const { return use_.get(); }

 private:
  template <typename Result, typename Client, typename... Parameters>
  static Client ClientFor(Result (Client::*)(Parameters...));
  template <typename Result, typename Client, typename... Parameters>
  static Client ClientFor(Result (Client::*)(Parameters...) const);
  // Returns the client that has the method.
  template <typename Method>
  using ClientOf = decltype(ClientFor(std::declval<Method>()));

  static absl::StatusOr<Session> AttachRemote(const StackAddress& address);
  // FAILED_PRECONDITION when the endpoint of a remote stack's service is unknown.
  absl::Status CheckReach(const std::string& service) const;
  // Waits for the service, and says so. Returns the connected channel. FAILED_PRECONDITION when the
  // endpoint is unknown.
  absl::StatusOr<std::shared_ptr<grpc::Channel>> AwaitConnected(const char* service) const;
  // Returns a note that reports the wait while it lives; nullptr when the session is quiet.
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

// Returns the address with the values of the environment added. INVALID_ARGUMENT for a variable
// that is needed and empty: what an empty variable of a script meant is unknown.
absl::StatusOr<StackAddress> WithEnvironment(StackAddress address);

}  // namespace tidemill::cli

#include "cli/stack/session.h"

#include <cstdlib>

#include "base/files.h"
#include "base/time.h"
#include "cli/stack/stack_network.h"
#include "cli/terminal/view.h"
#include "config/config.h"
#include "rpc/access/address.h"
#include "rpc/access/tokens.h"
#include "rpc/service_main.h"

namespace tidemill::cli {
namespace {

// Where a remote stack is and how it is trusted.
absl::StatusOr<rpc::ClusterConfig> ClusterOf(const StackAddress& address) {
  rpc::ClusterConfig cluster;
  if (!address.config.empty()) {
    ASSIGN_OR_RETURN(const std::string text, files::Read(address.config, kMaxConfigBytes));
    ASSIGN_OR_RETURN(cluster,
                     config::ReadSection<rpc::ClusterConfig>(text, address.config, "cluster"));
  }
  if (!address.server.empty()) cluster.endpoints["supervisor"] = address.server;
  if (!address.token_file.empty()) cluster.token_file = address.token_file;
  if (!address.tls_ca.empty()) cluster.tls.ca = address.tls_ca;
  if (!address.tls_certificate.empty()) cluster.tls.certificate = address.tls_certificate;
  if (!address.tls_key.empty()) cluster.tls.key = address.tls_key;
  if (cluster.token_file.empty()) {
    return InvalidArgument("a remote stack needs a token; name its file with --token-file");
  }
  return cluster;
}

absl::StatusOr<std::chrono::milliseconds> DeadlineOf(const StackAddress& address) {
  if (address.timeout.empty()) return std::chrono::milliseconds{60'000};
  ASSIGN_OR_RETURN(const Duration length, ParseDuration(address.timeout));
  return std::chrono::milliseconds{length.micros / 1000};
}

absl::Status CheckTrust(const rpc::ClusterConfig& cluster, const rpc::Tls& tls) {
  for (const auto& [service, endpoint] : cluster.endpoints) {
    ASSIGN_OR_RETURN(const rpc::Address address, rpc::ParseAddress(endpoint));
    const bool network = address.kind == rpc::Address::Kind::kNetwork;
    if (network && tls == nullptr && !cluster.insecure) {
      return InvalidArgument(
          "{} is not a loopback address; name the authority of its certificate with --tls-ca",
          endpoint);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StackAddress> WithEnvironment(StackAddress address) {
  const auto fill = [](std::string& value, const char* variable) -> absl::Status {
    const char* const given = std::getenv(variable);
    if (!value.empty() || given == nullptr) return absl::OkStatus();
    if (*given == '\0') return InvalidArgument("{} is empty; unset it, or set it", variable);
    value = given;
    return absl::OkStatus();
  };
  // A flag that names a local stack is not outvoted by the environment.
  if (address.state.empty()) {
    RETURN_IF_ERROR(fill(address.config, "TIDEMILL_CONFIG"));
    RETURN_IF_ERROR(fill(address.server, "TIDEMILL_SERVER"));
  }
  RETURN_IF_ERROR(fill(address.token_file, "TIDEMILL_TOKEN_FILE"));
  RETURN_IF_ERROR(fill(address.tls_ca, "TIDEMILL_TLS_CA"));
  RETURN_IF_ERROR(fill(address.tls_certificate, "TIDEMILL_TLS_CERTIFICATE"));
  RETURN_IF_ERROR(fill(address.tls_key, "TIDEMILL_TLS_KEY"));
  return address;
}

void UsePluginSettings(const StackAddress& address) {
  const auto known = WithEnvironment(address);
  if (!known.ok()) return;  // The command reports it when it looks for its stack.
  std::string path = known->config;
  if (path.empty() && address.server.empty()) {
    const auto layout = LayoutOf(address.state);
    if (layout.ok()) path = layout->ConfigFile();
  }
  const auto text = files::Read(path, kMaxConfigBytes);
  if (!text.ok()) return;
  const auto cluster = config::ReadSection<rpc::ClusterConfig>(*text, path, "cluster");
  if (cluster.ok()) plugin::HostSettings::OfThisProcess(cluster->plugins).PutIntoEnvironment();
}

absl::StatusOr<Session> Session::AttachRemote(const StackAddress& address) {
  Session session;
  session.remote_ = true;
  session.quiet_ = address.quiet;
  ASSIGN_OR_RETURN(session.deadline_, DeadlineOf(address));
  ASSIGN_OR_RETURN(const rpc::ClusterConfig cluster, ClusterOf(address));
  ASSIGN_OR_RETURN(session.tls_, rpc::ReadTls(cluster.tls));
  RETURN_IF_ERROR(CheckTrust(cluster, session.tls_));
  session.endpoints_ = cluster.endpoints;
  ASSIGN_OR_RETURN(const auto tokens, rpc::Tokens::Read(cluster.token_file));
  ASSIGN_OR_RETURN(session.token_, tokens.TokenOf(rpc::v1::ROLE_OPERATOR));
  return session;
}

absl::StatusOr<Session> Session::Attach(const StackAddress& address) {
  ASSIGN_OR_RETURN(const StackAddress known, WithEnvironment(address));
  if (!known.config.empty() || !known.server.empty()) return AttachRemote(known);
  Session session;
  session.quiet_ = known.quiet;
  ASSIGN_OR_RETURN(session.deadline_, DeadlineOf(known));
  ASSIGN_OR_RETURN(session.layout_, LayoutOf(known.state));
  if (!KeeperOf(session.layout_)) {
    return Unavailable("no stack runs in {}", session.layout_.state_folder);
  }
  RETURN_IF_ERROR(CheckOwner(session.layout_.sockets_folder));
  ASSIGN_OR_RETURN(const auto tokens, rpc::Tokens::Read(session.layout_.TokenFile()));
  ASSIGN_OR_RETURN(session.token_, tokens.TokenOf(rpc::v1::ROLE_OPERATOR));
  for (const std::string& service : ServicesOf(session.layout_)) {
    session.endpoints_[service] = session.layout_.EndpointOf(service);
  }
  return session;
}

absl::StatusOr<Session> Session::AttachOrStart(const StackAddress& address, StartStackOf start,
                                               bool quiet) {
  ASSIGN_OR_RETURN(const StackAddress known, WithEnvironment(address));
  if (!known.config.empty() || !known.server.empty()) return AttachRemote(known);
  ASSIGN_OR_RETURN(const StackLayout layout, LayoutOf(known.state));
  if (start == StartStackOf::kEarlierWork && !KeeperOf(layout) && !HasRun(layout)) {
    return Unavailable("no stack has ever run in {}", layout.state_folder);
  }
  ASSIGN_OR_RETURN(std::shared_ptr<StackUse> use, StackUse::Begin(layout));
  if (!quiet && !KeeperOf(layout)) {
    PrintToStderr(fmt::format("starting the stack in {}\n", layout.state_folder));
  }
  RETURN_IF_ERROR(use->StartTemporarily().status());
  ASSIGN_OR_RETURN(Session session, Attach(known));
  session.use_ = std::move(use);
  return session;
}

absl::Status Session::CheckReach(const std::string& service) const {
  if (endpoints_.contains(service)) return absl::OkStatus();
  return FailedPrecondition(
      "the endpoint of {} is unknown; name a system configuration with --config", service);
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> Session::AwaitConnected(const char* service) const {
  RETURN_IF_ERROR(CheckReach(service));
  const rpc::Peer peer = PeerOf(service);
  const auto note = NoteWait(service);
  std::shared_ptr<grpc::Channel> channel = rpc::Connect(peer);
  rpc::AwaitConnected(*channel, peer.stop, std::chrono::steady_clock::now() + peer.deadline);
  return channel;
}

std::unique_ptr<WaitNote> Session::NoteWait(const char* service) const {
  return quiet_ ? nullptr : std::make_unique<WaitNote>(service);
}

rpc::Peer Session::PeerOf(const std::string& service) const {
  const auto found = endpoints_.find(service);
  return {.endpoint = found == endpoints_.end() ? "" : found->second,
          .token = token_,
          .deadline = deadline_,
          .tls = tls_,
          .service = service};
}

absl::Status Session::AllowDataRoots(const std::vector<std::string>& folders) const {
  return remote_ ? absl::OkStatus() : cli::AllowDataRoots(layout_, folders);
}

}  // namespace tidemill::cli

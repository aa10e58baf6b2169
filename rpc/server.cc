#include "rpc/server.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "grpcpp/impl/server_builder_option.h"
#include "grpcpp/impl/server_builder_plugin.h"
#include "grpcpp/impl/server_initializer.h"

#include "base/descriptor.h"
#include "base/files.h"
#include "rpc/access/address.h"
#include "rpc/access/credentials.h"
#include "rpc/authentication.h"
#include "rpc/call_log.h"
#include "rpc/call_metrics.h"
#include "rpc/limits.h"
#include "rpc/usage/call_usage.h"

namespace tidemill::rpc {
namespace {

// Learns from gRPC which services were registered: grpc::Service does not tell its name.
class NamesPlugin : public grpc::ServerBuilderPlugin {
 public:
  explicit NamesPlugin(std::vector<std::string>* names) : names_(names) {}
  std::string name() override { return "tidemill.names"; }
  void InitServer(grpc::ServerInitializer*) override {}
  void Finish(grpc::ServerInitializer* server) override { *names_ = *server->GetServiceList(); }
  void ChangeArguments(const std::string&, void*) override {}

 private:
  std::vector<std::string>* const names_;
};

class NamesOption : public grpc::ServerBuilderOption {
 public:
  explicit NamesOption(std::vector<std::string>* names) : names_(names) {}
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    plugins->push_back(std::make_unique<NamesPlugin>(names_));
  }

 private:
  std::vector<std::string>* const names_;
};

// Removes the file that a dead server left. UNAVAILABLE when a server still answers there: gRPC
// itself would take its place without a word.
absl::Status ClearSocket(const std::string& path) {
  RETURN_IF_ERROR(files::CreateFolder(std::filesystem::path(path).parent_path().string()));
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) return FailedPrecondition("{} exists and is not a socket", path);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int connected =
      ::connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  if (connected == 0) return Unavailable("another process listens on unix:{}", path);
  return files::Remove(path);
}

absl::StatusOr<Address> CheckedAddress(const ServerOptions& options, const std::string& listen) {
  ASSIGN_OR_RETURN(Address address, ParseAddress(listen));
  if (address.kind == Address::Kind::kNetwork && options.tls == nullptr && !options.insecure) {
    return InvalidArgument(
        "{} is not a loopback address, so connections need certificates; set tls, listen on a UNIX "
        "socket or a loopback address, or set insecure",
        listen);
  }
  if (address.kind == Address::Kind::kUnix) RETURN_IF_ERROR(ClearSocket(address.path));
  return address;
}

// `port` is what gRPC has picked, once the server has started.
absl::Status Listen(const ServerOptions& options, const Address& address, const Tokens& tokens,
                    grpc::ServerBuilder& builder, int& port) {
  ASSIGN_OR_RETURN(const auto credentials, ServerCredentialsFor(address, options.tls));
  credentials->SetAuthMetadataProcessor(std::make_shared<Authentication>(tokens));
  builder.AddListeningPort(FormatAddress(address), credentials, &port);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      const Tokens& tokens,
                                                      const std::vector<grpc::Service*>& services) {
  ASSIGN_OR_RETURN(Address address, CheckedAddress(options, options.listen));
  std::vector<std::string> names;
  int port = -1;
  int network_port = 0;
  grpc::ServerBuilder builder;
  RETURN_IF_ERROR(Listen(options, address, tokens, builder, port));
  if (!options.network.empty()) {
    ASSIGN_OR_RETURN(const Address network, CheckedAddress(options, options.network));
    RETURN_IF_ERROR(Listen(options, network, tokens, builder, network_port));
  }
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  grpc::ResourceQuota threads("tidemill.handlers");
  threads.SetMaxThreads(options.max_threads);
  builder.SetResourceQuota(threads);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Windows that grow with the speed of the link would let every stream send megabytes that no
  // handler has asked for. A message that is being read is let in whole, whatever the window.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kKeepaliveMillis / 2);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.SetOption(std::make_unique<NamesOption>(&names));
  auto interceptors = CallLog();
  interceptors.push_back(CallCounter());
  interceptors.push_back(CallMeter());
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  for (grpc::Service* const service : services) builder.RegisterService(service);

  std::unique_ptr<Server> server(new Server);
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr || port < 0 || network_port < 0) {
    return Unavailable("cannot listen on {}{}{}", options.listen,
                       options.network.empty() ? "" : " and ", options.network);
  }
  for (const std::string& name : names) RETURN_IF_ERROR(CheckAllMethodsHaveRoles(name));
  if (address.kind == Address::Kind::kUnix) {
    if (::chmod(address.path.c_str(), 0600) != 0) {
      return Internal("cannot restrict {}: {}", address.path, std::strerror(errno));
    }
  } else {
    address.port = port;
  }
  server->endpoint_ = FormatAddress(address);
  return server;
}

Server::~Server() { Stop(); }

void Server::Stop(std::chrono::milliseconds grace) {
  if (server_ == nullptr) return;
  server_->Shutdown(std::chrono::system_clock::now() + grace);
  server_->Wait();
}

}  // namespace tidemill::rpc

#include "rpc/service_main.h"

#include <fcntl.h>
#include <grpc/support/log.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "CLI/CLI.hpp"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/logs/sparse_log.h"
#include "base/memory/heap.h"
#include "base/threads/periodic_task.h"
#include "base/version.h"
#include "config/config.h"
#include "rpc/access/address.h"
#include "rpc/access/own_address.h"
#include "rpc/call_log.h"
#include "rpc/call_metrics.h"
#include "rpc/members/own_name.h"
#include "rpc/metrics_server.h"
#include "rpc/server.h"

namespace tidemill::rpc {
namespace {

// How long calls may continue once the process was asked to end.
constexpr std::chrono::milliseconds kGrace{300};
// How often freed memory is looked for.
constexpr std::chrono::milliseconds kTidyInterval{15'000};

struct Flags {
  std::string config;
  std::string listen;
  std::string metrics;
  bool log_json = false;
};

// Turns SIGTERM and SIGINT into the end of Wait(). A second signal ends the process at once. The
// signals stay unblocked, so that programs that the service executes can be ended by them too.
class SignalPipe {
 public:
  SignalPipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) return;
    struct sigaction action = {};
    action.sa_handler = [](int) {
      const int error = errno;
      if (received_++ > 0) ::_exit(1);
      [[maybe_unused]] const ssize_t written = ::write(ends_[1], "x", 1);
      errno = error;
    };
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
  }

  void Wait() const {
    pollfd readable = {.fd = ends_[0], .events = POLLIN, .revents = 0};
    while (::poll(&readable, 1, -1) < 0 && errno == EINTR) {
    }
  }

 private:
  static inline int ends_[2] = {-1, -1};
  static inline std::atomic<int> received_ = 0;
};

// Messages of gRPC appear as lines of this process's log. A client that sends garbage can cause
// many of them.
log::SparseLog& GrpcErrorLog() {
  constexpr int kLinesPerSecond = 20;
  static auto* const sparse = new log::SparseLog("gRPC reports", kLinesPerSecond);
  return *sparse;
}

void LogForGrpc() {
  gpr_set_log_function([](gpr_log_func_args* line) {
    const std::string message = line->message;
    if (line->severity == GPR_LOG_SEVERITY_ERROR) {
      GrpcErrorLog().Warn({{"error", message}});
    } else {
      log::Debug("gRPC reports", {{"message", message}});
    }
  });
}

absl::StatusOr<ServiceContext> ReadContext(const Flags& flags) {
  ServiceContext context;
  context.config_name = flags.config;
  ASSIGN_OR_RETURN(context.config_text, files::Read(flags.config, size_t{1} << 20));
  ASSIGN_OR_RETURN(context.cluster, config::ReadSection<ClusterConfig>(
                                        context.config_text, context.config_name, "cluster"));
  ASSIGN_OR_RETURN(context.tokens, Tokens::Read(context.cluster.token_file));
  ASSIGN_OR_RETURN(context.tls, ReadTls(context.cluster.tls));
  return context;
}

absl::StatusOr<ServerOptions> OptionsOf(const ServiceContext& context, const std::string& name,
                                        const std::string& listen) {
  ServerOptions options{
      .listen = listen, .network = {}, .insecure = context.cluster.insecure, .tls = context.tls};
  if (!options.listen.empty()) return options;
  const auto network = context.cluster.network.find(name);
  if (network != context.cluster.network.end()) {
    // The name by which others know this host may be one of loopback here.
    ASSIGN_OR_RETURN(Address address, ParseAddress(network->second));
    if (address.kind == Address::Kind::kNetwork) address.host = "0.0.0.0";
    options.network = FormatAddress(address);
  }
  const auto it = context.cluster.endpoints.find(name);
  if (it == context.cluster.endpoints.end()) {
    return InvalidArgument("{}: cluster.endpoints does not name {}", context.config_name, name);
  }
  options.listen = it->second;
  return options;
}

// The endpoint of a service that this one calls, by which it finds the addresses of its host.
std::string CalledBy(const ServiceContext& context, const std::string& name) {
  for (const char* const service : {"supervisor", "preprocess", "storage"}) {
    const auto it = context.cluster.endpoints.find(service);
    if (service != name && it != context.cluster.endpoints.end()) return it->second;
  }
  return "unix:/";
}

// What the flag --listen says, once the process has chosen if it may.
absl::StatusOr<std::string> ListenOf(const ServiceContext& context, const std::string& name,
                                     const std::string& flag) {
  if (flag != kListenAutomatically) return flag;
  return ChooseEndpoint(name, CalledBy(context, name));
}

// nullptr when metrics are not served.
absl::StatusOr<std::unique_ptr<MetricsServer>> ServeMetrics(const ClusterConfig& cluster,
                                                            const Flags& flags,
                                                            const std::string& name) {
  std::string address = flags.metrics;
  if (const auto it = cluster.metrics.find(name); address.empty() && it != cluster.metrics.end()) {
    address = it->second;
  }
  if (address.empty()) return nullptr;
  ASSIGN_OR_RETURN(auto server, MetricsServer::Start(address, metrics::Process()));
  log::Info("metrics", {{"url", fmt::format("http://{}/metrics", server->address())}});
  return server;
}

// Clients refuse an expired certificate: warns early.
void WarnOfExpiry(const ClusterConfig& cluster) {
  constexpr int64_t kDay = int64_t{86'400} * 1'000'000;
  if (cluster.tls.certificate.empty()) return;
  const auto expiry = ExpiryOf(cluster.tls.certificate);
  if (!expiry.ok() || expiry->micros > Now().micros + 14 * kDay) return;
  log::Warn("the certificate has expired or will expire soon",
            {{"file", cluster.tls.certificate}, {"expires", FormatTimestamp(*expiry)}});
}

// From the start to the signal and the end.
absl::Status Run(const Flags& flags, const std::string& name, const ServiceFactory& make) {
  const SignalPipe signals;
  ASSIGN_OR_RETURN(ServiceContext context, ReadContext(flags));
  WarnOfExpiry(context.cluster);
  plugin::HostSettings::OfThisProcess(context.cluster.plugins).PutIntoEnvironment();
  ASSIGN_OR_RETURN(const std::string listen, ListenOf(context, name, flags.listen));
  ASSIGN_OR_RETURN(const ServerOptions options, OptionsOf(context, name, listen));
  context.listen = options.listen;
  ASSIGN_OR_RETURN(const std::unique_ptr<RunningService> service, make(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Server> server,
                   Server::Start(options, context.tokens, service->Faces()));
  ASSIGN_OR_RETURN(const std::unique_ptr<MetricsServer> metrics,
                   ServeMetrics(context.cluster, flags, name));
  log::Info("listening", {{"endpoint", server->endpoint()}});
  ASSIGN_OR_RETURN(const std::string endpoint,
                   ReachableEndpoint(server->endpoint(), CalledBy(context, name)));
  const PeriodicTask tidy("memory", kTidyInterval, [] {
    ReturnFreedPages();
    ProcessCallMetrics().MeasureMemory();
    TellLeftOutCalls();
    GrpcErrorLog().Tell();
    return absl::OkStatus();
  });
  absl::Status status = service->Started(endpoint);
  if (status.ok()) signals.Wait();
  log::Info("stopping");
  service->Stopping();
  server->Stop(kGrace);
  return status;
}

}  // namespace

absl::StatusOr<Peer> ServiceContext::PeerOf(const std::string& service) const {
  const auto it = cluster.endpoints.find(service);
  if (it == cluster.endpoints.end()) {
    return InvalidArgument("{}: cluster.endpoints does not name {}", config_name, service);
  }
  ASSIGN_OR_RETURN(const Address address, ParseAddress(it->second));
  if (address.kind == Address::Kind::kNetwork && tls == nullptr && !cluster.insecure) {
    return InvalidArgument(
        "{}: {} is not a loopback address, so connections need certificates; set cluster.tls, or "
        "cluster.insecure",
        config_name, it->second);
  }
  ASSIGN_OR_RETURN(std::string token, tokens.TokenOf(v1::ROLE_SERVICE));
  return Peer{.endpoint = it->second, .token = std::move(token), .tls = tls, .service = service};
}

absl::StatusOr<std::string> ServiceContext::Database() const {
  if (!cluster.database.empty()) return cluster.database;
  return InvalidArgument(
      "{}: this service needs PostgreSQL; add the connection string, cluster.database",
      config_name);
}

absl::StatusOr<std::string> ServiceContext::FolderOf(const std::string& service) const {
  const std::string started_as = StartedAs();
  const std::string number = started_as.substr(started_as.find('/') + 1);
  std::string folder =
      files::Join(cluster.state_folder, started_as.empty() ? service : service + "." + number);
  RETURN_IF_ERROR(files::CreateFolder(folder));
  return folder;
}

void EndProcess(int code) {
  std::fflush(nullptr);
  ::_exit(code);
}

int ServiceMain(int argc, char** argv, const std::string& name, const ServiceFactory& make) {
  KeepFreedPages();
  Flags flags;
  CLI::App app("Runs the Tidemill service " + name + ".");
  app.set_version_flag("--version", fmt::format("tidemill-{} {}", name, kVersion));
  // An unset variable of a script must not mean what leaving the option out means.
  const std::function<std::string(const std::string&)> is_given = [](const std::string& text) {
    return text.empty() ? "the value is empty: write one, or leave the option out" : "";
  };
  app.add_option("--config", flags.config, "The system configuration.")
      ->required()
      ->check(is_given);
  app.add_option("--listen", flags.listen,
                 "Where to listen, instead of the configured endpoint: unix:/path or host:port. "
                 "auto: beside the other services, at a free port or a new socket.")
      ->check(is_given);
  app.add_option("--metrics", flags.metrics,
                 "Where to serve metrics, instead of the configured address: host:port.")
      ->check(is_given);
  app.add_flag("--log-json", flags.log_json, "Log one JSON object a line.");
  CLI11_PARSE(app, argc, argv);  // The library reports by exception; the macro catches it.
  log::Configure(name, log::Level::kInfo, flags.log_json);
  LogForGrpc();
  const absl::Status status = Run(flags, name, make);
  if (status.ok()) EndProcess(0);
  log::Error("cannot serve", {{"error", status.ToString()}});
  EndProcess(1);
}

}  // namespace tidemill::rpc

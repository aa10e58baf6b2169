// The main() of every service: it reads the configuration, starts, waits for a signal and stops.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grpcpp/grpcpp.h"

#include "base/status.h"
#include "plugin/spec/host_settings.h"
#include "rpc/access/tls.h"
#include "rpc/access/tokens.h"
#include "rpc/channel.h"
#include "rpc/stream_budget.h"

namespace tidemill::rpc {

// The `cluster` section of the system configuration, which all services share.
struct ClusterConfig {
  std::string state_folder;
  std::string database;
  std::string token_file;
  TlsConfig tls;
  bool insecure = false;
  // Maps the name of a service (storage, selector, ...) to its endpoint.
  std::map<std::string, std::string> endpoints;
  // Maps the name of a service to the host:port at which other hosts reach it, beside `endpoints`.
  std::map<std::string, std::string> network = {};
  // Maps the name of a service to the host:port of its metrics.
  std::map<std::string, std::string> metrics = {};
  StreamLimits streams = {};
  plugin::HostSettings plugins = {};

  void Fields(auto&& field) {
    field("state_folder", state_folder, "Where services keep their files.", {.required = true});
    field("database", database,
          "PostgreSQL connection string. Trainer servers and preprocessing workers need none.",
          {.secret = true});
    field("token_file", token_file, "File of role and token pairs, mode 0600.", {.required = true});
    field("tls", tls, "Certificates for connections over TCP.");
    field("insecure", insecure,
          "On addresses other than loopback and without `tls`, encrypt with certificates that no "
          "client verifies.");
    field("endpoints", endpoints, "Address of each service: unix:/path or host:port.",
          {.required = true});
    field("network", network,
          "Where services listen besides `endpoints`, for processes on other hosts: host:port. A "
          "local stack fills it in when its engine starts processes elsewhere.");
    field("metrics", metrics,
          "Where a service serves its metrics: host:port, from which Prometheus fetches /metrics. "
          "Anybody who reaches the address may read them. Services that are not named here serve "
          "none.",
          {.example = "{preprocess: 127.0.0.1:9464}"});
    field("streams", streams, "Limits of the streams that a service answers at the same time.");
    field("plugins", plugins,
          "How plug-ins of users run. The variables TIDEMILL_PLUGIN_PYTHON and "
          "TIDEMILL_PLUGIN_SANDBOX of a service go before.");
  }
};

// The inputs of a service at its start.
struct ServiceContext {
  ClusterConfig cluster;
  Tokens tokens;
  // The certificates that cluster.tls names.
  Tls tls = nullptr;
  // The whole system configuration. A service reads its own section of it.
  std::string config_text;
  std::string config_name;
  // The endpoint at which it will listen.
  std::string listen = {};

  // Returns the peer for calls to another service, with this process's service token.
  absl::StatusOr<Peer> PeerOf(const std::string& service) const;
  // Returns cluster.database. INVALID_ARGUMENT when there is none.
  absl::StatusOr<std::string> Database() const;
  // Returns `<state_folder>/<service>`, which is created when missing. The third process
  // that an engine has started has `<service>.3`, because copies share a state folder.
  absl::StatusOr<std::string> FolderOf(const std::string& service) const;
};

// A running service: owns its core and faces.
class RunningService {
 public:
  virtual ~RunningService() = default;
  // Returns the faces to register on the server. They live as long as this object.
  virtual std::vector<grpc::Service*> Faces() = 0;
  // Called once the server listens: recover, start watching. Others reach it at `endpoint`.
  virtual absl::Status Started(const std::string& /*endpoint*/) { return absl::OkStatus(); }
  // Called before the server stops: end streams, cancel work.
  virtual void Stopping() {}
};

using ServiceFactory =
    std::function<absl::StatusOr<std::unique_ptr<RunningService>>(const ServiceContext&)>;

// Runs the service `name` until SIGTERM or SIGINT. The flags are --config FILE, --log-json,
// --listen ENDPOINT and --metrics ADDRESS; the last two replace the configured addresses. Returns
// the exit code of a call that only asks for help. Otherwise it ends the process (EndProcess()).
// The exit code is not 0 after a failure, which is logged in one line. Once it serves, it prints
// `listening endpoint="..."` as an info line. It ends within a second of the signal unless
// Stopping() takes longer, and at once on a second signal.
int ServiceMain(int argc, char** argv, const std::string& name, const ServiceFactory& make);

// Ends a process that may have used gRPC, with this exit code, once its output is written. Objects
// of static storage stay: gRPC's threads run until the process is gone, and what they use must not
// be destroyed under them. Objects of main() must have ended before.
[[noreturn]] void EndProcess(int code);

}  // namespace tidemill::rpc

#include "rpc/metrics_server.h"

#include <exception>

#include "fmt/format.h"

#include "prometheus/exposer.h"

namespace tidemill::rpc {

MetricsServer::MetricsServer() = default;
MetricsServer::~MetricsServer() = default;

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(
    const std::string& address, const metrics::Registry& registry) {
  std::unique_ptr<MetricsServer> server(new MetricsServer());
  server->metrics_ = registry.collectable();
  try {
    server->exposer_ = std::make_unique<prometheus::Exposer>(address);
  } catch (const std::exception& error) {  // The library says no other way.
    return Unavailable("cannot serve metrics at {}: {}; is the port taken?", address, error.what());
  }
  server->exposer_->RegisterCollectable(server->metrics_);
  const size_t colon = address.rfind(':');
  const std::string host = colon == std::string::npos ? "" : address.substr(0, colon + 1);
  server->address_ = fmt::format("{}{}", host, server->exposer_->GetListeningPorts().front());
  return server;
}

}  // namespace tidemill::rpc

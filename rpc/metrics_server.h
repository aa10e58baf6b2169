// Serves the metrics of a process for Prometheus.
#pragma once

#include <memory>
#include <string>

#include "base/metrics.h"
#include "base/status.h"

namespace prometheus {
class Collectable;
class Exposer;
}  // namespace prometheus

namespace tidemill::rpc {

// Answers GET http://<address>/metrics with the registry's metrics. It answers without a token,
// because metrics hold counts and names of ops, but no data. Thread-safe. The destructor stops it.
class MetricsServer {
 public:
  // `address` is host:port; port 0 picks a free one. UNAVAILABLE when it is taken.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(const std::string& address,
                                                              const metrics::Registry& registry);
  ~MetricsServer();

  // The address with the port that was picked.
  const std::string& address() const { return address_; }

 private:
  MetricsServer();

  std::string address_;
  std::shared_ptr<prometheus::Collectable> metrics_;
  std::unique_ptr<prometheus::Exposer> exposer_;
};

}  // namespace tidemill::rpc

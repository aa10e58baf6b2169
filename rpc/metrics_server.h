// What a process counts about itself, for Prometheus to fetch.
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

// Answers GET http://<address>/metrics with the registry's metrics, to whoever asks: they hold
// counts and names of ops, no data. Thread-safe. The destructor stops it.
class MetricsServer {
 public:
  // `address`: host:port; port 0 picks a free one. UNAVAILABLE when it is taken.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(const std::string& address,
                                                              const metrics::Registry& registry);
  ~MetricsServer();

  // With the port that was picked.
  const std::string& address() const { return address_; }

 private:
  MetricsServer();

  std::string address_;
  std::shared_ptr<prometheus::Collectable> metrics_;
  std::unique_ptr<prometheus::Exposer> exposer_;
};

}  // namespace tidemill::rpc

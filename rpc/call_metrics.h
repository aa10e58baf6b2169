// The metrics of every service about its calls and its process.
#pragma once

#include <memory>
#include <string>

#include "grpcpp/support/server_interceptor.h"

#include "base/metrics.h"

namespace tidemill::rpc {

// Thread-safe.
struct CallMetrics {
  explicit CallMetrics(metrics::Registry& registry);

  metrics::Counter& calls;          // By method.
  metrics::Counter& failed_calls;   // By status code.
  metrics::Counter& refused_calls;  // By status code: without a known token, or with a wrong role.
  metrics::Histogram& seconds;      // By method. A stream counts until its end.
  metrics::Gauge& memory;
  metrics::Gauge& open_streams;
  metrics::Gauge& stream_bytes;
  metrics::Counter& refused_streams;

  // Measures the memory of the process now.
  void MeasureMemory();
};

// Returns the metrics of this process.
CallMetrics& ProcessCallMetrics();

// Returns the interceptor factory with which a server counts its calls.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CallCounter();

}  // namespace tidemill::rpc

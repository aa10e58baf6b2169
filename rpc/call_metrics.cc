#include "rpc/call_metrics.h"

#include <chrono>

#include "absl/status/status.h"

#include "base/memory/heap.h"
#include "rpc/grpc_status.h"

namespace tidemill::rpc {
namespace {

using grpc::experimental::InterceptionHookPoints;
using Clock = std::chrono::steady_clock;

class MetricsInterceptor : public grpc::experimental::Interceptor {
 public:
  explicit MetricsInterceptor(const char* method) : method_(method) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      Count(FromGrpc(batch->GetSendStatus()).code());
    }
    batch->Proceed();
  }

 private:
  void Count(absl::StatusCode code) const {
    CallMetrics& metrics = ProcessCallMetrics();
    const std::chrono::duration<double> duration = Clock::now() - start_;
    metrics.calls.Add(1, method_);
    metrics.seconds.Observe(duration.count(), method_);
    if (code == absl::StatusCode::kOk) return;
    metrics.failed_calls.Add(1, absl::StatusCodeToString(code));
  }

  const std::string method_;
  const Clock::time_point start_ = Clock::now();
};

class MetricsFactory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* call) override {
    return new MetricsInterceptor(call->method());  // gRPC owns it.
  }
};

}  // namespace

CallMetrics::CallMetrics(metrics::Registry& registry)
    : calls(registry.AddCounter({"rpc", "calls", "Calls that have ended.", "method"})),
      failed_calls(registry.AddCounter({"rpc_failed", "calls", "Calls that have failed.", "code"})),
      refused_calls(registry.AddCounter(
          {"rpc_refused", "calls",
           "Calls refused before their handlers ran: without a token, or of another role.",
           "code"})),
      seconds(registry.AddHistogram(
          {"rpc", "seconds", "How long calls took. A stream counts until its end.", "method"},
          metrics::kSeconds)),
      memory(registry.AddGauge(
          {"process_memory", "bytes", "Memory of the process that does not belong to a file."})),
      open_streams(registry.AddGauge({"rpc_open", "streams", "Streams that are open now."})),
      stream_bytes(
          registry.AddGauge({"rpc_stream", "bytes",
                             "Memory that open streams hold, out of cluster.streams.memory."})),
      refused_streams(
          registry.AddCounter({"rpc_refused", "streams",
                               "Streams refused because of the limits in cluster.streams."})) {}

void CallMetrics::MeasureMemory() { memory.Set(static_cast<double>(AnonymousBytes())); }

CallMetrics& ProcessCallMetrics() {
  static CallMetrics* const metrics = new CallMetrics(metrics::Process());  // As the registry.
  return *metrics;
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CallCounter() {
  return std::make_unique<MetricsFactory>();
}

}  // namespace tidemill::rpc

#include "rpc/call_log.h"

#include <chrono>

#include "base/status.h"
#include "rpc/grpc_status.h"

namespace tidemill::rpc {
namespace {

using grpc::experimental::InterceptionHookPoints;
using Clock = std::chrono::steady_clock;

// Never destroyed: threads may log during exit.
log::SparseLog& FailedCallLog() {
  static auto* const sparse = new log::SparseLog("call failed", kFailedLines);
  return *sparse;
}

// The status with which gRPC ends a call whose request does not parse. Handlers always give a
// reason.
bool IsMalformed(const absl::Status& status) {
  return absl::IsInternal(status) && status.message().empty();
}

class Interceptor : public grpc::experimental::Interceptor {
 public:
  explicit Interceptor(const char* method) : method_(method) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      absl::Status status = FromGrpc(batch->GetSendStatus());
      if (IsMalformed(status)) {
        status = InvalidArgument("the request is not a message of the type that {} takes", method_);
        batch->ModifySendStatus(ToGrpc(status));
      }
      if (!status.ok()) Log(status);
    }
    batch->Proceed();
  }

 private:
  void Log(const absl::Status& status) const {
    const std::chrono::duration<double, std::milli> duration = Clock::now() - start_;
    FailedCallLog().Warn({{"method", method_},
                          {"error", status.ToString()},
                          {"milliseconds", fmt::format("{:.1f}", duration.count())}});
  }

  const char* const method_;
  const Clock::time_point start_ = Clock::now();
};

class Factory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* call) override {
    return new Interceptor(call->method());  // gRPC owns it.
  }
};

}  // namespace

std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> CallLog() {
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> factories;
  factories.push_back(std::make_unique<Factory>());
  return factories;
}

log::SparseLog& RefusedCallLog() {
  static auto* const sparse = new log::SparseLog("call refused", 1);
  return *sparse;
}

void TellLeftOutCalls() {
  FailedCallLog().Tell();
  RefusedCallLog().Tell();
}

}  // namespace tidemill::rpc

#include "rpc/usage/call_usage.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/usage/account.h"
#include "rpc/usage/usage_message.h"

namespace tidemill::rpc {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;

// The suffix says that the value is bytes.
constexpr char kUsageKey[] = "tidemill-usage-bin";

// The bytes of the message that is being sent.
int64_t SentBytes(InterceptorBatchMethods& batch) {
  const grpc::ByteBuffer* const message = batch.GetSerializedSendMessage();
  return message == nullptr ? 0 : static_cast<int64_t>(message->Length());
}

class Meter : public grpc::experimental::Interceptor {
 public:
  void Intercept(InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      // A handler that keeps its thread runs within this call, to its end, and this object may end
      // there. A handler that returns the thread is measured until then.
      const usage::Scope scope(account_);
      batch->Proceed();
      return;
    }
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_MESSAGE)) {
      account_->Add({.bytes_sent = SentBytes(*batch)});
    }
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      usage::SettleCurrent();
      batch->GetSendTrailingMetadata()->emplace(kUsageKey,
                                                ToMessage(account_->Total()).SerializeAsString());
    }
    batch->Proceed();
  }

 private:
  const std::shared_ptr<usage::Account> account_ = std::make_shared<usage::Account>();
};

class MeterFactory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo*) override {
    return new Meter;  // gRPC owns it.
  }
};

class Payer : public grpc::experimental::Interceptor {
 public:
  explicit Payer(std::shared_ptr<usage::Account> account) : account_(std::move(account)) {}

  void Intercept(InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_MESSAGE)) {
      account_->Add({.bytes_sent = SentBytes(*batch)});
    }
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_STATUS)) {
      Take(*batch->GetRecvTrailingMetadata());
    }
    batch->Proceed();
  }

 private:
  void Take(const std::multimap<grpc::string_ref, grpc::string_ref>& metadata) {
    const auto found = metadata.find(kUsageKey);
    if (found == metadata.end()) return;
    v1::Usage usage;
    if (!usage.ParseFromArray(found->second.data(), static_cast<int>(found->second.size()))) return;
    account_->Add(FromMessage(usage));
  }

  const std::shared_ptr<usage::Account> account_;
};

class PayerFactory : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateClientInterceptor(
      grpc::experimental::ClientRpcInfo*) override {
    auto account = usage::Current();
    return account == nullptr ? nullptr : new Payer(std::move(account));  // gRPC owns it.
  }
};

}  // namespace

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CallMeter() {
  return std::make_unique<MeterFactory>();
}

std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> CallPayers() {
  std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> factories;
  factories.push_back(std::make_unique<PayerFactory>());
  return factories;
}

}  // namespace tidemill::rpc

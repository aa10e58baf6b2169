#include "preprocess/scaling/external_scaler.h"

#include <atomic>
#include <optional>
#include <stop_token>
#include <utility>

#include "grpcpp/grpcpp.h"

#include "base/mutex.h"
#include "base/printable.h"
#include "externalscaler/externalscaler.grpc.pb.h"
#include "rpc/access/address.h"
#include "rpc/access/credentials.h"
#include "rpc/grpc_status.h"

namespace tidemill::preprocess {
namespace {

namespace keda = ::externalscaler;

constexpr int kMaxThreads = 2 * ExternalScaler::kMaxStreams;
constexpr int kMaxRequestBytes = 1 << 16;

// The answers.
class ScalerService final : public keda::ExternalScaler::Service {
 public:
  explicit ScalerService(std::function<ScaleWanted()> demand) : demand_(std::move(demand)) {}

  void Stop() { stop_.request_stop(); }

  grpc::Status IsActive(grpc::ServerContext*, const keda::ScaledObjectRef*,
                        keda::IsActiveResponse* response) override {
    response->set_result(Active());
    return grpc::Status::OK;
  }

  grpc::Status StreamIsActive(grpc::ServerContext* context, const keda::ScaledObjectRef*,
                              grpc::ServerWriter<keda::IsActiveResponse>* writer) override {
    if (++num_streams_ > ExternalScaler::kMaxStreams) {
      --num_streams_;
      return ToGrpc(ResourceExhausted("{} calls of StreamIsActive are open, which is the most",
                                      ExternalScaler::kMaxStreams));
    }
    TellChanges(*context, *writer);
    --num_streams_;
    return grpc::Status::OK;
  }

  grpc::Status GetMetricSpec(grpc::ServerContext*, const keda::ScaledObjectRef*,
                             keda::GetMetricSpecResponse* response) override {
    keda::MetricSpec& spec = *response->add_metricspecs();
    spec.set_metricname(ExternalScaler::kMetric);
    spec.set_targetsize(1);
    spec.set_targetsizefloat(1);
    return grpc::Status::OK;
  }

  grpc::Status GetMetrics(grpc::ServerContext*, const keda::GetMetricsRequest* request,
                          keda::GetMetricsResponse* response) override {
    if (request->metricname() != ExternalScaler::kMetric) {
      return ToGrpc(InvalidArgument("metricName is {}; the only metric is {}",
                                    Quoted(request->metricname()), ExternalScaler::kMetric));
    }
    const int64_t wanted = demand_().wanted_workers;
    keda::MetricValue& value = *response->add_metricvalues();
    value.set_metricname(ExternalScaler::kMetric);
    value.set_metricvalue(wanted);
    value.set_metricvaluefloat(static_cast<double>(wanted));
    return grpc::Status::OK;
  }

 private:
  bool Active() const {
    const ScaleWanted demand = demand_();
    return demand.wanted_workers > 0 || demand.has_jobs;
  }

  // At once, and after each change, until the caller goes or the server stops.
  void TellChanges(const grpc::ServerContext& context,
                   grpc::ServerWriter<keda::IsActiveResponse>& writer) {
    const std::stop_token stop = stop_.get_token();
    std::optional<bool> told;
    while (!stop.stop_requested() && !context.IsCancelled()) {
      if (const bool active = Active(); told != active) {
        keda::IsActiveResponse response;
        response.set_result(active);
        if (!writer.Write(response)) return;
        told = active;
      }
      MutexLock lock(mutex_);
      stopped_.wait_for(mutex_, stop, ExternalScaler::kLook, [] { return false; });
    }
  }

  const std::function<ScaleWanted()> demand_;
  std::atomic<int> num_streams_ = 0;
  std::stop_source stop_;
  Mutex mutex_;
  CondVar stopped_;
};

class RunningScaler final : public ExternalScaler {
 public:
  explicit RunningScaler(std::function<ScaleWanted()> demand) : service_(std::move(demand)) {}
  ~RunningScaler() override {
    service_.Stop();
    if (server_ != nullptr) server_->Shutdown();
  }

  const std::string& endpoint() const override { return endpoint_; }

  absl::Status Listen(const ScalerOptions& options) {
    ASSIGN_OR_RETURN(rpc::Address address, rpc::ParseAddress(options.address));
    if (address.kind == rpc::Address::Kind::kUnix) {
      return InvalidArgument("KEDA cannot call {}; name a host and a port", options.address);
    }
    if (address.kind == rpc::Address::Kind::kNetwork && options.tls == nullptr) {
      return InvalidArgument(
          "{} is not a loopback address, so KEDA and the dispatcher need certificates; set "
          "cluster.tls",
          options.address);
    }
    ASSIGN_OR_RETURN(const auto credentials, rpc::ServerCredentialsFor(address, options.tls));
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(rpc::FormatAddress(address), credentials, &port);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
    grpc::ResourceQuota threads("tidemill.scaler");
    threads.SetMaxThreads(kMaxThreads);
    builder.SetResourceQuota(threads);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port == 0) return Unavailable("cannot listen on {}", options.address);
    address.port = port;
    endpoint_ = rpc::FormatAddress(address);
    return absl::OkStatus();
  }

 private:
  ScalerService service_;
  std::string endpoint_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ExternalScaler>> ExternalScaler::Start(
    const ScalerOptions& options, std::function<ScaleWanted()> demand) {
  auto scaler = std::make_unique<RunningScaler>(std::move(demand));
  RETURN_IF_ERROR(scaler->Listen(options));
  return scaler;
}

}  // namespace tidemill::preprocess

#include "preprocess/dispatcher/dispatcher_server.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "base/threads/periodic_task.h"
#include "config/config.h"
#include "db/database.h"
#include "preprocess/dispatcher/dispatcher.h"
#include "preprocess/dispatcher/dispatcher_config.h"
#include "preprocess/dispatcher/dispatcher_service.h"
#include "preprocess/scaling/external_scaler.h"
#include "preprocess/scaling/scaling_service.h"
#include "preprocess/scaling/worker_scaling.h"

namespace tidemill::preprocess {
namespace {

constexpr std::chrono::milliseconds kTick{50};
// Without a section `engine`, KEDA's own limit holds, maxReplicaCount.
constexpr int kMostOfKeda = 10'000;

class DispatcherServer final : public rpc::RunningService {
 public:
  DispatcherServer(const rpc::ServiceContext& context, const DispatcherConfig& config,
                   std::unique_ptr<db::Database> database, std::unique_ptr<Dispatcher> dispatcher)
      : context_(context),
        config_(config),
        database_(std::move(database)),
        dispatcher_(std::move(dispatcher)),
        service_(*dispatcher_) {}

  std::vector<grpc::Service*> Faces() override { return {&service_, &scaling_service_}; }
  // Not before it listens: a second dispatcher on the same address ends without having taken over.
  absl::Status Started(const std::string& /*endpoint*/) override {
    RETURN_IF_ERROR(dispatcher_->Recover());
    ticks_.emplace("dispatcher-tick", kTick, [this] {
      dispatcher_->Tick();
      return absl::OkStatus();
    });
    RETURN_IF_ERROR(StartScaling());
    return StartScaler();
  }
  void Stopping() override {
    scaler_.reset();
    ticks_.reset();
    dispatcher_->Stop();
  }

 private:
  // Where KEDA or an engine starts and ends workers, decides how many there should be.
  absl::Status StartScaling() {
    const bool asks_keda = !config_.scaler_address.empty();
    engine::WorkersConfig workers;
    if (asks_keda) workers.most = kMostOfKeda;
    ASSIGN_OR_RETURN(auto engine, WorkerEngineOf(context_, workers));
    if (asks_keda) engine.reset();
    if (!engine && !asks_keda) return absl::OkStatus();
    ASSIGN_OR_RETURN(scaling_,
                     WorkerScaling::Start(ToScale(), *database_, workers, std::move(engine)));
    scaling_service_.Serve(*scaling_);
    return absl::OkStatus();
  }
  ScaledWorkers ToScale() {
    return {
        .jobs = [this] { return dispatcher_->Totals(); },
        .threads_per_worker = [this] { return dispatcher_->ThreadsPerWorker(); },
        .members = [this](const std::string& group) { return dispatcher_->StartedMembers(group); },
        .drain = [this](int64_t worker) { return dispatcher_->DrainWorker(worker); }};
  }
  absl::Status StartScaler() {
    if (config_.scaler_address.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(
        scaler_,
        ExternalScaler::Start({.address = config_.scaler_address, .tls = context_.tls}, [this] {
          return ScaleWanted{.wanted_workers = scaling_->wanted(), .has_jobs = scaling_->HasJobs()};
        }));
    log::Info("tells KEDA how many workers are wanted", {{"endpoint", scaler_->endpoint()}});
    return absl::OkStatus();
  }

  const rpc::ServiceContext context_;
  const DispatcherConfig config_;
  const std::unique_ptr<db::Database> database_;
  const std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<WorkerScaling> scaling_;
  DispatcherService service_;
  ScalingService scaling_service_;
  std::unique_ptr<ExternalScaler> scaler_;
  std::optional<PeriodicTask> ticks_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartDispatcher(
    const rpc::ServiceContext& context) {
  ASSIGN_OR_RETURN(const auto config, config::ReadSection<DispatcherConfig>(
                                          context.config_text, context.config_name, "preprocess"));
  ASSIGN_OR_RETURN(const std::string connection, context.Database());
  ASSIGN_OR_RETURN(auto database, db::Database::Connect(connection));
  ASSIGN_OR_RETURN(auto dispatcher, Dispatcher::Open(*database, config));
  return std::make_unique<DispatcherServer>(context, config, std::move(database),
                                            std::move(dispatcher));
}

}  // namespace tidemill::preprocess

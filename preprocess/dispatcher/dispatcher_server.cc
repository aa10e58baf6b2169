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
#include "preprocess/dispatcher/external_scaler.h"

namespace tidemill::preprocess {
namespace {

constexpr std::chrono::milliseconds kTick{50};

class DispatcherServer final : public rpc::RunningService {
 public:
  DispatcherServer(std::unique_ptr<db::Database> database, std::unique_ptr<Dispatcher> dispatcher,
                   ScalerOptions scaler_options)
      : database_(std::move(database)),
        dispatcher_(std::move(dispatcher)),
        service_(*dispatcher_),
        scaler_options_(std::move(scaler_options)) {}

  std::vector<grpc::Service*> Faces() override { return {&service_}; }
  // Not before it listens: a second dispatcher on the same address ends without having taken over.
  absl::Status Started() override {
    RETURN_IF_ERROR(dispatcher_->Recover());
    ticks_.emplace("dispatcher-tick", kTick, [this] {
      dispatcher_->Tick();
      return absl::OkStatus();
    });
    return StartScaler();
  }
  void Stopping() override {
    scaler_.reset();
    ticks_.reset();
    dispatcher_->Stop();
  }

 private:
  absl::Status StartScaler() {
    if (scaler_options_.address.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(scaler_,
                     ExternalScaler::Start(scaler_options_, [this] { return CurrentDemand(); }));
    log::Info("tells KEDA how many workers are wanted", {{"endpoint", scaler_->endpoint()}});
    return absl::OkStatus();
  }
  ScaleWanted CurrentDemand() {
    const bool has_jobs = !dispatcher_->ListJobs().jobs().empty();
    return {.wanted_workers = has_jobs ? 1 : 0, .has_jobs = has_jobs};
  }

  const std::unique_ptr<db::Database> database_;
  const std::unique_ptr<Dispatcher> dispatcher_;
  DispatcherService service_;
  const ScalerOptions scaler_options_;
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
  return std::make_unique<DispatcherServer>(
      std::move(database), std::move(dispatcher),
      ScalerOptions{.address = config.scaler_address, .tls = context.tls});
}

}  // namespace tidemill::preprocess

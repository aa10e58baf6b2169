#include "preprocess/dispatcher/dispatcher_server.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/threads/periodic_task.h"
#include "config/config.h"
#include "db/database.h"
#include "preprocess/dispatcher/dispatcher.h"
#include "preprocess/dispatcher/dispatcher_config.h"
#include "preprocess/dispatcher/dispatcher_service.h"
#include "preprocess/dispatcher/worker_scaling.h"

namespace tidemill::preprocess {
namespace {

constexpr std::chrono::milliseconds kTick{50};

class DispatcherServer final : public rpc::RunningService {
 public:
  DispatcherServer(const rpc::ServiceContext& context, std::unique_ptr<db::Database> database,
                   std::unique_ptr<Dispatcher> dispatcher)
      : context_(context),
        database_(std::move(database)),
        dispatcher_(std::move(dispatcher)),
        service_(*dispatcher_) {}

  std::vector<grpc::Service*> Faces() override { return {&service_}; }
  // Not before it listens: a second dispatcher on the same address ends without having taken over.
  absl::Status Started(const std::string& /*endpoint*/) override {
    RETURN_IF_ERROR(dispatcher_->Recover());
    ticks_.emplace("dispatcher-tick", kTick, [this] {
      dispatcher_->Tick();
      return absl::OkStatus();
    });
    engine::WorkersConfig workers;
    ASSIGN_OR_RETURN(auto engine, WorkerEngineOf(context_, workers));
    if (!engine) return absl::OkStatus();
    ASSIGN_OR_RETURN(scaling_,
                     WorkerScaling::Start(*dispatcher_, *database_, workers, std::move(engine)));
    service_.SetScaling(*scaling_);
    return absl::OkStatus();
  }
  void Stopping() override {
    ticks_.reset();
    dispatcher_->Stop();
  }

 private:
  const rpc::ServiceContext context_;
  const std::unique_ptr<db::Database> database_;
  const std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<WorkerScaling> scaling_;
  DispatcherService service_;
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
  return std::make_unique<DispatcherServer>(context, std::move(database), std::move(dispatcher));
}

}  // namespace tidemill::preprocess

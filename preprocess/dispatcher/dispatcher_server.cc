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

namespace tidemill::preprocess {
namespace {

constexpr std::chrono::milliseconds kTick{50};

class DispatcherServer final : public rpc::RunningService {
 public:
  DispatcherServer(std::unique_ptr<db::Database> database, std::unique_ptr<Dispatcher> dispatcher)
      : database_(std::move(database)),
        dispatcher_(std::move(dispatcher)),
        service_(*dispatcher_) {}

  std::vector<grpc::Service*> Faces() override { return {&service_}; }
  // Not before it listens: a second dispatcher on the same address ends without having taken over.
  absl::Status Started() override {
    RETURN_IF_ERROR(dispatcher_->Recover());
    ticks_.emplace("dispatcher-tick", kTick, [this] {
      dispatcher_->Tick();
      return absl::OkStatus();
    });
    return absl::OkStatus();
  }
  void Stopping() override {
    ticks_.reset();
    dispatcher_->Stop();
  }

 private:
  const std::unique_ptr<db::Database> database_;
  const std::unique_ptr<Dispatcher> dispatcher_;
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
  return std::make_unique<DispatcherServer>(std::move(database), std::move(dispatcher));
}

}  // namespace tidemill::preprocess

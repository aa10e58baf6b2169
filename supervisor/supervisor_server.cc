#include "supervisor/supervisor_server.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/threads/periodic_task.h"
#include "config/config.h"
#include "db/database.h"
#include "db/migrations.h"
#include "engine/engine_config.h"
#include "rpc/usage/prices_config.h"
#include "supervisor/device_service.h"
#include "supervisor/grpc_downstream.h"
#include "supervisor/migrations.h"
#include "supervisor/model_use_service.h"
#include "supervisor/pool/pool.h"
#include "supervisor/pool/pool_engines.h"
#include "supervisor/pool/pool_service.h"
#include "supervisor/requests/supervisor.h"
#include "supervisor/supervisor_config.h"
#include "supervisor/supervisor_service.h"

namespace tidemill::supervisor {
namespace {

// A step may fit a graph to a large training set in one call.
constexpr std::chrono::hours kStepDeadline{1};
constexpr std::chrono::seconds kRequestDeadline{30};
// How often files are looked for that were sent and that no pipeline names. The model store keeps
// them for an hour after they came.
constexpr std::chrono::minutes kRetireInterval{10};
// How often silent members are given up.
constexpr std::chrono::milliseconds kPoolInterval{500};

class SupervisorServer final : public rpc::RunningService {
 public:
  SupervisorServer(const rpc::ServiceContext& context, std::optional<engine::EngineConfig> engine,
                   std::unique_ptr<db::Database> database, std::unique_ptr<Pool> pool,
                   const DownstreamPeers& steps, const DownstreamPeers& requests,
                   const std::optional<rpc::v1::Prices>& prices)
      : context_(context),
        engine_(std::move(engine)),
        database_(std::move(database)),
        pool_(std::move(pool)),
        supervisor_(*database_, ConnectByGrpc(steps), ConnectByGrpc(requests), *pool_, prices),
        service_(supervisor_, context.cluster.streams),
        pool_service_(*pool_),
        devices_(supervisor_),
        model_use_(supervisor_.model_uses()) {}

  std::vector<grpc::Service*> Faces() override {
    return {&service_, &pool_service_, &devices_, &model_use_};
  }
  absl::Status Started(const std::string& /*endpoint*/) override {
    if (engine_) {
      ASSIGN_OR_RETURN(engines_, PoolEngines::Start(*engine_, context_, *pool_));
      pool_service_.SetEngines(*engines_);
    }
    pool_ticks_ = std::make_unique<PeriodicTask>("supervisor.pool", kPoolInterval,
                                                 [this] { return pool_->Tick(); });
    retirement_ =
        std::make_unique<PeriodicTask>("supervisor.retire_files", kRetireInterval, [this] {
          supervisor_.named_files().Retire();
          return absl::OkStatus();
        });
    return supervisor_.conducted_runs().Recover();
  }
  void Stopping() override {
    retirement_.reset();
    pool_ticks_.reset();
    supervisor_.conducted_runs().Shutdown();
  }

 private:
  const rpc::ServiceContext context_;
  const std::optional<engine::EngineConfig> engine_;
  const std::unique_ptr<db::Database> database_;
  const std::unique_ptr<Pool> pool_;
  std::unique_ptr<PoolEngines> engines_;
  Supervisor supervisor_;
  SupervisorService service_;
  PoolService pool_service_;
  DeviceService devices_;
  ModelUseService model_use_;
  std::unique_ptr<PeriodicTask> retirement_;  // Removes files that no pipeline names.
  std::unique_ptr<PeriodicTask> pool_ticks_;
};

absl::StatusOr<DownstreamPeers> PeersOf(const rpc::ServiceContext& context,
                                        std::chrono::milliseconds deadline) {
  DownstreamPeers peers;
  ASSIGN_OR_RETURN(peers.storage, context.PeerOf("storage"));
  ASSIGN_OR_RETURN(peers.selector, context.PeerOf("selector"));
  ASSIGN_OR_RETURN(peers.model_store, context.PeerOf("model_store"));
  ASSIGN_OR_RETURN(peers.evaluator, context.PeerOf("evaluator"));
  peers.trainer_server = peers.evaluator;
  peers.trainer_server.endpoint.clear();
  peers.trainer_server.service = "trainer_server";
  if (context.cluster.endpoints.contains("trainer_server")) {
    ASSIGN_OR_RETURN(peers.trainer_server, context.PeerOf("trainer_server"));
  }
  for (rpc::Peer* peer : {&peers.storage, &peers.selector, &peers.trainer_server,
                          &peers.model_store, &peers.evaluator}) {
    peer->deadline = deadline;
  }
  return peers;
}

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartSupervisor(
    const rpc::ServiceContext& context) {
  ASSIGN_OR_RETURN(const auto config, config::ReadSection<SupervisorConfig>(
                                          context.config_text, context.config_name, "supervisor"));
  ASSIGN_OR_RETURN(const DownstreamPeers steps, PeersOf(context, kStepDeadline));
  ASSIGN_OR_RETURN(const DownstreamPeers requests, PeersOf(context, kRequestDeadline));
  ASSIGN_OR_RETURN(const auto prices, config::ReadSection<rpc::PricesConfig>(
                                          context.config_text, context.config_name, "prices"));
  ASSIGN_OR_RETURN(const std::string connection, context.Database());
  ASSIGN_OR_RETURN(auto database, db::Database::Connect(connection));
  RETURN_IF_ERROR(db::Migrate(*database, "supervisor", Migrations()));
  ASSIGN_OR_RETURN(auto pool, Pool::Open(*database, config.member_timeout));
  std::optional<engine::EngineConfig> engine;
  if (engine::HasEngine(context.config_text)) {
    ASSIGN_OR_RETURN(engine, config::ReadSection<engine::EngineConfig>(
                                 context.config_text, context.config_name, "engine"));
  }
  return std::make_unique<SupervisorServer>(context, std::move(engine), std::move(database),
                                            std::move(pool), steps, requests, prices.ToMessage());
}

}  // namespace tidemill::supervisor

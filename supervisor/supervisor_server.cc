#include "supervisor/supervisor_server.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/threads/periodic_task.h"
#include "config/config.h"
#include "db/database.h"
#include "db/migrations.h"
#include "rpc/usage/prices_config.h"
#include "supervisor/grpc_downstream.h"
#include "supervisor/migrations.h"
#include "supervisor/requests/supervisor.h"
#include "supervisor/supervisor_service.h"

namespace tidemill::supervisor {
namespace {

// A step may fit a graph to a large training set in one call.
constexpr std::chrono::hours kStepDeadline{1};
constexpr std::chrono::seconds kRequestDeadline{30};
// How often files are looked for that were sent and that no pipeline names. The model store keeps
// them for an hour after they came.
constexpr std::chrono::minutes kRetireInterval{10};

class SupervisorServer final : public rpc::RunningService {
 public:
  SupervisorServer(std::unique_ptr<db::Database> database, const DownstreamPeers& steps,
                   const DownstreamPeers& requests, const rpc::StreamLimits& streams,
                   const std::optional<rpc::v1::Prices>& prices)
      : database_(std::move(database)),
        supervisor_(*database_, ConnectByGrpc(steps), ConnectByGrpc(requests), prices),
        service_(supervisor_, streams) {}

  std::vector<grpc::Service*> Faces() override { return {&service_}; }
  absl::Status Started() override {
    retirement_ =
        std::make_unique<PeriodicTask>("supervisor.retire_files", kRetireInterval, [this] {
          supervisor_.named_files().Retire();
          return absl::OkStatus();
        });
    return supervisor_.conducted_runs().Recover();
  }
  void Stopping() override {
    retirement_.reset();
    supervisor_.conducted_runs().Shutdown();
  }

 private:
  const std::unique_ptr<db::Database> database_;
  Supervisor supervisor_;
  SupervisorService service_;
  std::unique_ptr<PeriodicTask> retirement_;  // Removes files that no pipeline names.
};

absl::StatusOr<DownstreamPeers> PeersOf(const rpc::ServiceContext& context,
                                        std::chrono::milliseconds deadline) {
  DownstreamPeers peers;
  ASSIGN_OR_RETURN(peers.storage, context.PeerOf("storage"));
  ASSIGN_OR_RETURN(peers.selector, context.PeerOf("selector"));
  ASSIGN_OR_RETURN(peers.trainer_server, context.PeerOf("trainer_server"));
  ASSIGN_OR_RETURN(peers.model_store, context.PeerOf("model_store"));
  ASSIGN_OR_RETURN(peers.evaluator, context.PeerOf("evaluator"));
  for (rpc::Peer* peer : {&peers.storage, &peers.selector, &peers.trainer_server,
                          &peers.model_store, &peers.evaluator}) {
    peer->deadline = deadline;
  }
  return peers;
}

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartSupervisor(
    const rpc::ServiceContext& context) {
  ASSIGN_OR_RETURN(const DownstreamPeers steps, PeersOf(context, kStepDeadline));
  ASSIGN_OR_RETURN(const DownstreamPeers requests, PeersOf(context, kRequestDeadline));
  ASSIGN_OR_RETURN(const auto prices, config::ReadSection<rpc::PricesConfig>(
                                          context.config_text, context.config_name, "prices"));
  ASSIGN_OR_RETURN(auto database, db::Database::Connect(context.cluster.database));
  RETURN_IF_ERROR(db::Migrate(*database, "supervisor", Migrations()));
  return std::make_unique<SupervisorServer>(std::move(database), steps, requests,
                                            context.cluster.streams, prices.ToMessage());
}

}  // namespace tidemill::supervisor

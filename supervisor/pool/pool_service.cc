#include "supervisor/pool/pool_service.h"

#include <utility>

#include "rpc/commands.h"
#include "rpc/grpc_status.h"

namespace tidemill::supervisor {

grpc::Status PoolService::RegisterMember(grpc::ServerContext*,
                                         const v1::RegisterMemberRequest* request,
                                         v1::RegisterMemberResponse* response) {
  auto registered = pool_.Register(*request);
  if (!registered.ok()) return ToGrpc(registered.status());
  *response = *std::move(registered);
  return grpc::Status::OK;
}

grpc::Status PoolService::Beat(grpc::ServerContext*, const v1::BeatRequest* request,
                               v1::BeatResponse* response) {
  auto answer = pool_.Beat(*request);
  if (!answer.ok()) return ToGrpc(answer.status());
  *response = *std::move(answer);
  return grpc::Status::OK;
}

grpc::Status PoolService::DrainMember(grpc::ServerContext*, const v1::DrainMemberRequest* request,
                                      v1::DrainMemberResponse* response) {
  if (const absl::Status named = rpc::CheckNamesNoRun(request->command()); !named.ok()) {
    return ToGrpc(named);
  }
  auto member = pool_.Drain(request->name(), !request->undo());
  if (!member.ok()) return ToGrpc(member.status());
  *response->mutable_member() = *std::move(member);
  return grpc::Status::OK;
}

grpc::Status PoolService::GetPool(grpc::ServerContext*, const v1::GetPoolRequest*,
                                  v1::GetPoolResponse* response) {
  *response = pool_.Get();
  if (const PoolEngines* const engines = engines_; engines != nullptr) {
    for (rpc::v1::EngineGroup& group : engines->Describe()) {
      *response->add_engines() = std::move(group);
    }
  }
  return grpc::Status::OK;
}

grpc::Status PoolService::ListPlacements(grpc::ServerContext*,
                                         const v1::ListPlacementsRequest* request,
                                         v1::ListPlacementsResponse* response) {
  auto placements = pool_.ListPlacements(RunId{request->run_id()});
  if (!placements.ok()) return ToGrpc(placements.status());
  *response = *std::move(placements);
  return grpc::Status::OK;
}

}  // namespace tidemill::supervisor

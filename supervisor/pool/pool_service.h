// The gRPC face of the pool: translates, never decides. See pool.proto.
#pragma once

#include <atomic>

#include "supervisor/pool/pool.h"
#include "supervisor/pool/pool_engines.h"
#include "tidemill/supervisor/v1/pool.grpc.pb.h"

namespace tidemill::supervisor {

// Thread-safe.
class PoolService final : public v1::PoolService::Service {
 public:
  // `pool` must outlive this object.
  explicit PoolService(Pool& pool) : pool_(pool) {}

  // From here on, GetPool() shows what these do. They must outlive the server.
  void SetEngines(const PoolEngines& engines) { engines_ = &engines; }

  grpc::Status RegisterMember(grpc::ServerContext* context,
                              const v1::RegisterMemberRequest* request,
                              v1::RegisterMemberResponse* response) override;
  grpc::Status Beat(grpc::ServerContext* context, const v1::BeatRequest* request,
                    v1::BeatResponse* response) override;
  grpc::Status DrainMember(grpc::ServerContext* context, const v1::DrainMemberRequest* request,
                           v1::DrainMemberResponse* response) override;
  grpc::Status GetPool(grpc::ServerContext* context, const v1::GetPoolRequest* request,
                       v1::GetPoolResponse* response) override;
  grpc::Status ListPlacements(grpc::ServerContext* context,
                              const v1::ListPlacementsRequest* request,
                              v1::ListPlacementsResponse* response) override;

 private:
  Pool& pool_;
  std::atomic<const PoolEngines*> engines_ = nullptr;
};

}  // namespace tidemill::supervisor

// The gRPC face of ModelUses: translates, never decides. See model_use.proto.
#pragma once

#include "supervisor/requests/model_uses.h"
#include "tidemill/supervisor/v1/model_use.grpc.pb.h"

namespace tidemill::supervisor {

// Thread-safe.
class ModelUseService final : public v1::ModelUseService::Service {
 public:
  // `uses` must outlive this object.
  explicit ModelUseService(ModelUses& uses) : uses_(uses) {}

  grpc::Status GetModelInUse(grpc::ServerContext*, const v1::GetModelInUseRequest* request,
                             v1::GetModelInUseResponse* response) override;
  grpc::Status ListModelChanges(grpc::ServerContext*, const v1::ListModelChangesRequest* request,
                                v1::ListModelChangesResponse* response) override;
  grpc::Status UseModel(grpc::ServerContext*, const v1::UseModelRequest* request,
                        v1::UseModelResponse* response) override;
  grpc::Status ReleaseModel(grpc::ServerContext*, const v1::ReleaseModelRequest* request,
                            v1::ReleaseModelResponse* response) override;
  grpc::Status RollBackModel(grpc::ServerContext*, const v1::RollBackModelRequest* request,
                             v1::RollBackModelResponse* response) override;

 private:
  ModelUses& uses_;
};

}  // namespace tidemill::supervisor

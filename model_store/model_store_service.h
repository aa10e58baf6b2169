// gRPC face of ModelStore: translate, call, translate back. See model_store.proto.
#pragma once

#include "model_store/model_store.h"
#include "tidemill/model_store/v1/model_store.grpc.pb.h"

namespace tidemill::model_store {

class ModelStoreService final : public v1::ModelStoreService::Service {
 public:
  explicit ModelStoreService(ModelStore& store) : store_(store) {}

  grpc::Status PutModel(grpc::ServerContext*, grpc::ServerReader<v1::PutModelRequest>* reader,
                        v1::PutModelResponse* response) override;
  grpc::Status GetModel(grpc::ServerContext*, const v1::GetModelRequest* request,
                        v1::GetModelResponse* response) override;
  grpc::Status ListModels(grpc::ServerContext*, const v1::ListModelsRequest* request,
                          v1::ListModelsResponse* response) override;
  grpc::Status ReadModel(grpc::ServerContext*, const v1::ReadModelRequest* request,
                         grpc::ServerWriter<v1::ReadModelResponse>* writer) override;
  grpc::Status RetireModels(grpc::ServerContext*, const v1::RetireModelsRequest* request,
                            v1::RetireModelsResponse* response) override;
  grpc::Status DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                         v1::DeleteRunResponse* response) override;

 private:
  ModelStore& store_;
};

}  // namespace tidemill::model_store

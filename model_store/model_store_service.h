// The gRPC face of ModelStore, KeptFiles and KeptJobs. It only translates requests and answers. See
// model_store.proto.
#pragma once

#include "model_store/kept_files.h"
#include "model_store/kept_jobs.h"
#include "model_store/model_store.h"
#include "rpc/stream_budget.h"
#include "tidemill/model_store/v1/model_store.grpc.pb.h"

namespace tidemill::model_store {

class ModelStoreService final : public v1::ModelStoreService::Service {
 public:
  // `store`, `files` and `jobs` must outlive this object.
  ModelStoreService(ModelStore& store, KeptFiles& files, KeptJobs& jobs,
                    const rpc::StreamLimits& limits = {})
      : store_(store), files_(files), jobs_(jobs), streams_(limits) {}

  grpc::Status PutModel(grpc::ServerContext* context,
                        grpc::ServerReader<v1::PutModelRequest>* reader,
                        v1::PutModelResponse* response) override;
  grpc::Status GetModel(grpc::ServerContext*, const v1::GetModelRequest* request,
                        v1::GetModelResponse* response) override;
  grpc::Status ListModels(grpc::ServerContext*, const v1::ListModelsRequest* request,
                          v1::ListModelsResponse* response) override;
  grpc::Status ReadModel(grpc::ServerContext* context, const v1::ReadModelRequest* request,
                         grpc::ServerWriter<v1::ReadModelResponse>* writer) override;
  grpc::Status FindModel(grpc::ServerContext*, const v1::FindModelRequest* request,
                         v1::FindModelResponse* response) override;
  grpc::Status ReuseModel(grpc::ServerContext*, const v1::ReuseModelRequest* request,
                          v1::ReuseModelResponse* response) override;
  grpc::Status RetireModels(grpc::ServerContext*, const v1::RetireModelsRequest* request,
                            v1::RetireModelsResponse* response) override;
  grpc::Status PutFile(grpc::ServerContext* context, grpc::ServerReader<v1::PutFileRequest>* reader,
                       v1::PutFileResponse* response) override;
  grpc::Status GetFile(grpc::ServerContext*, const v1::GetFileRequest* request,
                       v1::GetFileResponse* response) override;
  grpc::Status ReadFile(grpc::ServerContext* context, const v1::ReadFileRequest* request,
                        grpc::ServerWriter<v1::ReadFileResponse>* writer) override;
  grpc::Status RetireFiles(grpc::ServerContext*, const v1::RetireFilesRequest* request,
                           v1::RetireFilesResponse* response) override;
  grpc::Status KeepJob(grpc::ServerContext*, const v1::KeepJobRequest* request,
                       v1::KeepJobResponse* response) override;
  grpc::Status GetKeptJob(grpc::ServerContext*, const v1::GetKeptJobRequest* request,
                          v1::GetKeptJobResponse* response) override;
  grpc::Status GetStoredBytes(grpc::ServerContext*, const v1::GetStoredBytesRequest* request,
                              v1::GetStoredBytesResponse* response) override;
  grpc::Status DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                         v1::DeleteRunResponse* response) override;

 private:
  ModelStore& store_;
  KeptFiles& files_;
  KeptJobs& jobs_;
  rpc::StreamBudget streams_;
};

}  // namespace tidemill::model_store

// The gRPC face of the trainer server.
#pragma once

#include "rpc/stream_budget.h"
#include "tidemill/trainer_server/v1/trainer_server.grpc.pb.h"
#include "trainer_server/trainings.h"

namespace tidemill::trainer_server {

// Thread-safe. `trainings` must outlive this object.
class TrainerService final : public v1::TrainerService::Service {
 public:
  // `trainings` must outlive this object.
  explicit TrainerService(Trainings& trainings, const rpc::StreamLimits& limits = {})
      : trainings_(trainings), streams_(limits) {}

  grpc::Status FitGraph(grpc::ServerContext* context, const v1::FitGraphRequest* request,
                        v1::FitGraphResponse* response) override;
  grpc::Status GetTrainingDigest(grpc::ServerContext* context,
                                 const v1::GetTrainingDigestRequest* request,
                                 v1::GetTrainingDigestResponse* response) override;
  grpc::Status ListDevices(grpc::ServerContext* context, const v1::ListDevicesRequest* request,
                           v1::ListDevicesResponse* response) override;
  grpc::Status StartTraining(grpc::ServerContext* context, const v1::StartTrainingRequest* request,
                             v1::StartTrainingResponse* response) override;
  grpc::Status WatchTraining(grpc::ServerContext* context, const v1::WatchTrainingRequest* request,
                             grpc::ServerWriter<v1::WatchTrainingResponse>* writer) override;
  grpc::Status StopTraining(grpc::ServerContext* context, const v1::StopTrainingRequest* request,
                            v1::StopTrainingResponse* response) override;
  grpc::Status StoreModel(grpc::ServerContext* context, const v1::StoreModelRequest* request,
                          v1::StoreModelResponse* response) override;
  grpc::Status RetireTrainings(grpc::ServerContext* context,
                               const v1::RetireTrainingsRequest* request,
                               v1::RetireTrainingsResponse* response) override;
  grpc::Status DeleteRun(grpc::ServerContext* context, const v1::DeleteRunRequest* request,
                         v1::DeleteRunResponse* response) override;

 private:
  Trainings& trainings_;
  rpc::StreamBudget streams_;  // For watchers of trainings.
};

}  // namespace tidemill::trainer_server

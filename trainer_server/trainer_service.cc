#include "trainer_server/trainer_service.h"

#include <utility>

#include "rpc/grpc_status.h"

namespace tidemill::trainer_server {

grpc::Status TrainerService::FitGraph(grpc::ServerContext*, const v1::FitGraphRequest* request,
                                      v1::FitGraphResponse* response) {
  absl::StatusOr<v1::FitGraphResponse> fitted = trainings_.Fit(*request);
  if (!fitted.ok()) return ToGrpc(fitted.status());
  *response = *std::move(fitted);
  return grpc::Status::OK;
}

grpc::Status TrainerService::GetTrainingDigest(grpc::ServerContext*,
                                               const v1::GetTrainingDigestRequest* request,
                                               v1::GetTrainingDigestResponse* response) {
  absl::StatusOr<v1::GetTrainingDigestResponse> digest = trainings_.Digest(*request);
  if (!digest.ok()) return ToGrpc(digest.status());
  *response = *std::move(digest);
  return grpc::Status::OK;
}

grpc::Status TrainerService::ListDevices(grpc::ServerContext*, const v1::ListDevicesRequest*,
                                         v1::ListDevicesResponse* response) {
  const devices::Slots& slots = trainings_.slots();
  for (rpc::v1::Slot& slot : slots.List()) *response->add_slots() = std::move(slot);
  response->set_why_no_gpu(slots.why_no_gpu());
  return grpc::Status::OK;
}

grpc::Status TrainerService::StartTraining(grpc::ServerContext*,
                                           const v1::StartTrainingRequest* request,
                                           v1::StartTrainingResponse*) {
  return ToGrpc(trainings_.Start(*request));
}

grpc::Status TrainerService::WatchTraining(grpc::ServerContext* context,
                                           const v1::WatchTrainingRequest* request,
                                           grpc::ServerWriter<v1::WatchTrainingResponse>* writer) {
  return rpc::WithPlace(streams_, *context, "WatchTraining", [&](rpc::StreamPermit& permit) {
    return trainings_.Watch(
        RunId{request->run_id()}, request->trigger(),
        [&](const v1::WatchTrainingResponse& message) { return permit.Write(*writer, message); },
        [&] { return !context->IsCancelled(); });
  });
}

grpc::Status TrainerService::StopTraining(grpc::ServerContext*,
                                          const v1::StopTrainingRequest* request,
                                          v1::StopTrainingResponse*) {
  return ToGrpc(trainings_.Stop(*request));
}

grpc::Status TrainerService::StoreModel(grpc::ServerContext*, const v1::StoreModelRequest* request,
                                        v1::StoreModelResponse* response) {
  absl::StatusOr<v1::StoreModelResponse> stored = trainings_.Store(*request);
  if (!stored.ok()) return ToGrpc(stored.status());
  *response = *std::move(stored);
  return grpc::Status::OK;
}

grpc::Status TrainerService::RetireTrainings(grpc::ServerContext*,
                                             const v1::RetireTrainingsRequest* request,
                                             v1::RetireTrainingsResponse*) {
  return ToGrpc(trainings_.Retire(*request));
}

grpc::Status TrainerService::DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                                       v1::DeleteRunResponse*) {
  return ToGrpc(trainings_.DeleteRun(*request));
}

}  // namespace tidemill::trainer_server

#include "trainer_server/client/trainer_client.h"

#include <utility>

#include "rpc/streams/stream_call.h"

namespace tidemill::trainer_server {
namespace {

using Stub = v1::TrainerService::Stub;

}  // namespace

TrainerClient::TrainerClient(rpc::Peer peer)
    : peer_(std::move(peer)), stub_(v1::TrainerService::NewStub(rpc::Connect(peer_))) {}

absl::StatusOr<v1::FitGraphResponse> TrainerClient::FitGraph(const v1::FitGraphRequest& request) {
  v1::FitGraphResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::FitGraph, request, &response));
  return response;
}

absl::StatusOr<v1::GetTrainingDigestResponse> TrainerClient::GetTrainingDigest(
    const v1::GetTrainingDigestRequest& request) {
  v1::GetTrainingDigestResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::GetTrainingDigest, request, &response));
  return response;
}

absl::StatusOr<v1::ListDevicesResponse> TrainerClient::ListDevices() {
  v1::ListDevicesResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &Stub::ListDevices, v1::ListDevicesRequest(), &response));
  return response;
}

absl::Status TrainerClient::StartTraining(const v1::StartTrainingRequest& request) {
  v1::StartTrainingResponse response;
  return rpc::Call(peer_, *stub_, &Stub::StartTraining, request, &response);
}

absl::StatusOr<v1::WatchTrainingResponse> TrainerClient::WatchTraining(RunId run, int64_t trigger,
                                                                       const Progress& progress) {
  v1::WatchTrainingRequest request;
  request.set_run_id(run.value);
  request.set_trigger(trigger);
  v1::WatchTrainingResponse last;
  RETURN_IF_ERROR(rpc::ReadStream(peer_, *stub_, &Stub::WatchTraining, request,
                                  [&](v1::WatchTrainingResponse& message) {
                                    last = message;
                                    return progress(message);
                                  }));
  return last;
}

absl::Status TrainerClient::StopTraining(const rpc::v1::Command& command, int64_t trigger) {
  v1::StopTrainingRequest request;
  *request.mutable_command() = command;
  request.set_trigger(trigger);
  v1::StopTrainingResponse response;
  return rpc::Call(peer_, *stub_, &Stub::StopTraining, request, &response);
}

absl::StatusOr<v1::StoreModelResponse> TrainerClient::StoreModel(
    const v1::StoreModelRequest& request) {
  v1::StoreModelResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::StoreModel, request, &response));
  return response;
}

absl::Status TrainerClient::RetireTrainings(const rpc::v1::Command& command,
                                            int64_t first_kept_trigger) {
  v1::RetireTrainingsRequest request;
  *request.mutable_command() = command;
  request.set_first_kept_trigger(first_kept_trigger);
  v1::RetireTrainingsResponse response;
  return rpc::Call(peer_, *stub_, &Stub::RetireTrainings, request, &response);
}

absl::Status TrainerClient::DeleteRun(const rpc::v1::Command& command) {
  v1::DeleteRunRequest request;
  *request.mutable_command() = command;
  v1::DeleteRunResponse response;
  return rpc::Call(peer_, *stub_, &Stub::DeleteRun, request, &response);
}

}  // namespace tidemill::trainer_server

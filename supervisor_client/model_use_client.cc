#include "supervisor_client/model_use_client.h"

#include <utility>

namespace tidemill::supervisor {

using ModelUseStub = v1::ModelUseService::Stub;

ModelUseClient::ModelUseClient(rpc::Peer supervisor)
    : peer_(std::move(supervisor)), stub_(v1::ModelUseService::NewStub(rpc::Connect(peer_))) {}

absl::StatusOr<v1::ModelChange> ModelUseClient::Get(const std::string& pipeline,
                                                    const std::string& name_space) {
  v1::GetModelInUseRequest request;
  request.set_namespace_(name_space);
  request.set_pipeline_name(pipeline);
  v1::GetModelInUseResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &ModelUseStub::GetModelInUse, request, &response));
  return std::move(*response.mutable_in_use());
}

absl::StatusOr<v1::ListModelChangesResponse> ModelUseClient::List(
    const v1::ListModelChangesRequest& request) {
  v1::ListModelChangesResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &ModelUseStub::ListModelChanges, request, &response));
  return response;
}

absl::StatusOr<v1::ListModelChangesResponse> ModelUseClient::ListOfPipeline(
    const std::string& pipeline, int64_t limit) {
  v1::ListModelChangesRequest request;
  request.set_pipeline_name(pipeline);
  request.set_limit(limit);
  return List(request);
}

absl::StatusOr<v1::ListModelChangesResponse> ModelUseClient::ListOfRun(RunId run, int64_t limit) {
  v1::ListModelChangesRequest request;
  request.set_run_id(run.value);
  request.set_limit(limit);
  return List(request);
}

absl::StatusOr<v1::ModelChange> ModelUseClient::Use(ModelId model, bool pin) {
  v1::UseModelRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_model_id(model.value);
  request.set_pin(pin);
  v1::UseModelResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &ModelUseStub::UseModel, request, &response));
  return std::move(*response.mutable_change());
}

absl::StatusOr<v1::ModelChange> ModelUseClient::Release(const std::string& pipeline,
                                                        v1::ModelRelease release) {
  v1::ReleaseModelRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_pipeline_name(pipeline);
  request.set_release(release);
  v1::ReleaseModelResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &ModelUseStub::ReleaseModel, request, &response));
  return std::move(*response.mutable_change());
}

absl::Status ModelUseClient::UseNoModel(const std::string& pipeline) {
  const absl::Status released = Release(pipeline, v1::MODEL_RELEASE_MODEL).status();
  const bool was_none = absl::IsNotFound(released) || absl::IsFailedPrecondition(released);
  return was_none ? absl::OkStatus() : released;
}

absl::StatusOr<v1::RollBackModelResponse> ModelUseClient::RollBack(const std::string& pipeline,
                                                                   bool pin) {
  v1::RollBackModelRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_pipeline_name(pipeline);
  request.set_pin(pin);
  v1::RollBackModelResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &ModelUseStub::RollBackModel, request, &response));
  return response;
}

}  // namespace tidemill::supervisor

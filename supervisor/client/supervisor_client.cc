#include "supervisor/client/supervisor_client.h"

#include <chrono>
#include <utility>

#include "rpc/grpc_status.h"

namespace tidemill::supervisor {
namespace {

using Stub = v1::SupervisorService::Stub;

rpc::v1::Command NewCommand() {
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  return command;
}

}  // namespace

SupervisorClient::SupervisorClient(rpc::Peer peer)
    : peer_(std::move(peer)), stub_(v1::SupervisorService::NewStub(rpc::Connect(peer_))) {}

absl::StatusOr<v1::SubmitPipelineResponse> SupervisorClient::SubmitPipeline(
    const v1::SubmitPipelineRequest& request) {
  v1::SubmitPipelineResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::SubmitPipeline, request, &response));
  return response;
}

absl::StatusOr<v1::ListPipelinesResponse> SupervisorClient::ListPipelines(
    const std::string& name_space) {
  v1::ListPipelinesRequest request;
  request.set_namespace_(name_space);
  v1::ListPipelinesResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::ListPipelines, request, &response));
  return response;
}

absl::StatusOr<v1::Pipeline> SupervisorClient::GetPipeline(const std::string& name) {
  v1::GetPipelineRequest request;
  request.set_name(name);
  v1::GetPipelineResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::GetPipeline, request, &response));
  return std::move(*response.mutable_pipeline());
}

absl::StatusOr<bool> SupervisorClient::DeletePipeline(const std::string& name) {
  v1::DeletePipelineRequest request;
  *request.mutable_command() = NewCommand();
  request.set_name(name);
  v1::DeletePipelineResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::DeletePipeline, request, &response));
  return response.existed();
}

absl::StatusOr<v1::ListRunsResponse> SupervisorClient::ListRuns(const std::string& pipeline_name) {
  v1::ListRunsRequest request;
  request.set_pipeline_name(pipeline_name);
  v1::ListRunsResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::ListRuns, request, &response));
  return response;
}

absl::StatusOr<v1::GetRunResponse> SupervisorClient::GetRun(RunId run) {
  v1::GetRunRequest request;
  request.set_run_id(run.value);
  v1::GetRunResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::GetRun, request, &response));
  return response;
}

absl::StatusOr<v1::Run> SupervisorClient::StopRun(RunId run) {
  v1::StopRunRequest request;
  *request.mutable_command() = NewCommand();
  request.set_run_id(run.value);
  v1::StopRunResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::StopRun, request, &response));
  return std::move(*response.mutable_run());
}

absl::StatusOr<v1::Run> SupervisorClient::ResumeRun(RunId run) {
  v1::ResumeRunRequest request;
  *request.mutable_command() = NewCommand();
  request.set_run_id(run.value);
  v1::ResumeRunResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::ResumeRun, request, &response));
  return std::move(*response.mutable_run());
}

absl::StatusOr<v1::TriggerRunResponse> SupervisorClient::TriggerRun(RunId run) {
  v1::TriggerRunRequest request;
  *request.mutable_command() = NewCommand();
  request.set_run_id(run.value);
  v1::TriggerRunResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::TriggerRun, request, &response));
  return response;
}

absl::StatusOr<v1::GetDecisionResponse> SupervisorClient::GetDecision(
    const v1::GetDecisionRequest& request) {
  v1::GetDecisionResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::GetDecision, request, &response));
  return response;
}

absl::StatusOr<bool> SupervisorClient::DeleteRun(RunId run) {
  v1::DeleteRunRequest request;
  *request.mutable_command() = NewCommand();
  request.set_run_id(run.value);
  v1::DeleteRunResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::DeleteRun, request, &response));
  return response.existed();
}

absl::StatusOr<v1::Run> SupervisorClient::WatchRun(RunId run, int64_t after_sequence,
                                                   const Watcher& watcher) {
  v1::WatchRunRequest request;
  request.set_run_id(run.value);
  while (true) {
    request.set_after_sequence(after_sequence);
    absl::Status stopped;
    auto final = WatchOnce(request, watcher, after_sequence, stopped);
    RETURN_IF_ERROR(stopped);
    const bool broken = absl::IsUnavailable(final.status()) || absl::IsCancelled(final.status());
    const bool goes_on = final.ok() && final->state() == v1::RUN_STATE_RUNNING;
    if (!broken && !goes_on) return final;
    // Waits, within the deadline, until the supervisor answers again.
    RETURN_IF_ERROR(GetRun(run).status());
  }
}

absl::StatusOr<v1::Run> SupervisorClient::WatchOnce(const v1::WatchRunRequest& request,
                                                    const Watcher& watcher, int64_t& last_sequence,
                                                    absl::Status& stopped) {
  grpc::ClientContext context;
  rpc::Prepare(peer_, std::chrono::milliseconds{0}, context);
  const auto reader = stub_->WatchRun(&context, request);
  v1::WatchRunResponse response;
  v1::Run final;
  bool ended = false;
  while (stopped.ok() && reader->Read(&response)) {
    if (response.has_event()) last_sequence = response.event().sequence();
    if (response.has_final()) {
      final = response.final();
      ended = true;
    }
    stopped = watcher(response);
  }
  if (!stopped.ok()) context.TryCancel();
  RETURN_IF_ERROR(FromGrpc(reader->Finish()));
  if (!ended) return Unavailable("the stream of run {} ended early", request.run_id());
  return final;
}

}  // namespace tidemill::supervisor

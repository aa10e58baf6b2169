#include "supervisor_client/supervisor_client.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "rpc/grpc_status.h"
#include "rpc/streams/stream_call.h"

namespace tidemill::supervisor {
namespace {

using Clock = std::chrono::steady_clock;
using Stub = v1::SupervisorService::Stub;

// Between two attempts to watch a run.
constexpr std::chrono::milliseconds kPause{100};

rpc::v1::Command NewCommand() {
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  return command;
}

// Whether a stream that ended like this is worth another attempt: the connection broke, or, where
// there was one before, the supervisor has not yet found that out and holds its place.
bool MayContinue(const absl::Status& end, bool was_open) {
  return end.ok() || absl::IsUnavailable(end) || absl::IsDeadlineExceeded(end) ||
         (was_open && (absl::IsCancelled(end) || absl::IsResourceExhausted(end)));
}

// Returns early after a stop.
void Pause(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, kPause, [] { return false; });
}

}  // namespace

SupervisorClient::SupervisorClient(rpc::Peer peer)
    : peer_(std::move(peer)),
      stub_(v1::SupervisorService::NewStub(rpc::Connect(peer_))),
      devices_(v1::DeviceService::NewStub(rpc::Connect(peer_))) {}

absl::StatusOr<v1::ListDevicesResponse> SupervisorClient::ListDevices() {
  v1::ListDevicesResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *devices_, &v1::DeviceService::Stub::ListDevices,
                            v1::ListDevicesRequest(), &response));
  return response;
}

absl::StatusOr<v1::SubmitPipelineResponse> SupervisorClient::SubmitPipeline(
    const v1::SubmitPipelineRequest& request) {
  v1::SubmitPipelineResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::SubmitPipeline, request, &response));
  return response;
}

absl::Status SupervisorClient::SendNetwork(v1::SendNetworkRequest::Header header,
                                           const NextBytes& next) {
  grpc::ClientContext context;
  rpc::Prepare(peer_, std::chrono::milliseconds{0}, context);
  const std::stop_callback cancel(peer_.stop, [&context] { context.TryCancel(); });
  v1::SendNetworkResponse response;
  const auto writer = stub_->SendNetwork(&context, &response);
  v1::SendNetworkRequest message;
  *header.mutable_command() = NewCommand();
  *message.mutable_header() = std::move(header);
  // Ends early when the supervisor has already answered and takes nothing more.
  while (writer->Write(message)) {
    auto bytes = next();
    if (!bytes.ok()) {
      context.TryCancel();
      writer->Finish();
      return bytes.status();
    }
    if (!*bytes) break;
    message.set_bytes(**std::move(bytes));
  }
  writer->WritesDone();
  return FromGrpc(writer->Finish());
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
  return FindRuns(request);
}

absl::StatusOr<v1::ListRunsResponse> SupervisorClient::FindRuns(
    const v1::ListRunsRequest& request) {
  v1::ListRunsResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::ListRuns, request, &response));
  return response;
}

absl::StatusOr<v1::GetRunResponse> SupervisorClient::GetRun(RunId run, bool with_events) {
  v1::GetRunRequest request;
  request.set_run_id(run.value);
  request.set_with_events(with_events);
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

absl::StatusOr<v1::Run> SupervisorClient::AnnotateRun(v1::AnnotateRunRequest request) {
  *request.mutable_command() = NewCommand();
  v1::AnnotateRunResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::AnnotateRun, request, &response));
  return std::move(*response.mutable_run());
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
                                                   const Watcher& watcher,
                                                   const Patience& patience) {
  std::optional<v1::Run> final;
  bool was_open = false;
  for (Clock::time_point lost_at = Clock::now();;) {
    v1::WatchRunRequest request;
    request.set_run_id(run.value);
    request.set_after_sequence(after_sequence);
    bool is_open = false;
    bool is_taken = true;  // Whether the watcher accepted the last message.
    absl::Status ended = rpc::ReadStream(peer_, *stub_, &Stub::WatchRun, request,
                                         [&](v1::WatchRunResponse& message) -> absl::Status {
                                           is_open = true;
                                           if (message.has_event())
                                             after_sequence = message.event().sequence();
                                           if (message.has_final()) final = message.final();
                                           const absl::Status taken = watcher(message);
                                           is_taken = taken.ok();
                                           return taken;
                                         });
    if (!is_taken) return ended;
    if (final) return *std::move(final);
    if (peer_.stop.stop_requested()) return Cancelled("the caller stopped watching");
    // A run may be silent for hours while the supervisor runs.
    if (is_open) lost_at = Clock::now();
    was_open = was_open || is_open;
    if (!MayContinue(ended, was_open)) return ended;
    if (Clock::now() - lost_at > patience()) {
      return ended.ok() ? Unavailable("the stream of run {} ended early", run.value) : ended;
    }
    Pause(peer_.stop);
  }
}

absl::StatusOr<v1::WatchBacktestResponse::Final> SupervisorClient::WatchBacktest(
    const v1::WatchBacktestRequest& request, const BacktestProgress& progress) {
  v1::WatchBacktestResponse::Final final;
  RETURN_IF_ERROR(rpc::ReadStream(peer_, *stub_, &Stub::WatchBacktest, request,
                                  [&](v1::WatchBacktestResponse& message) {
                                    if (message.has_progress()) progress(message.progress());
                                    if (message.has_final()) final = message.final();
                                    return absl::OkStatus();
                                  }));
  return final;
}

}  // namespace tidemill::supervisor

#include "supervisor/supervisor_service.h"

#include <utility>

#include "rpc/commands.h"
#include "rpc/grpc_status.h"
#include "supervisor/requests/run_watcher.h"

namespace tidemill::supervisor {
namespace {

// What `body` answers to a command that acts for a person.
template <typename Body>
auto ForNoRun(const rpc::v1::Command& command, const Body& body) -> decltype(body()) {
  RETURN_IF_ERROR(rpc::CheckNamesNoRun(command));
  return body();
}

}  // namespace

grpc::Status SupervisorService::SubmitPipeline(grpc::ServerContext*,
                                               const v1::SubmitPipelineRequest* request,
                                               v1::SubmitPipelineResponse* response) {
  auto submitted =
      ForNoRun(request->command(), [&] { return supervisor_.submissions().Submit(*request); });
  if (!submitted.ok()) return ToGrpc(submitted.status());
  *response = *std::move(submitted);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::SendNetwork(grpc::ServerContext*,
                                            grpc::ServerReader<v1::SendNetworkRequest>* reader,
                                            v1::SendNetworkResponse*) {
  v1::SendNetworkRequest message;
  if (!reader->Read(&message) || !message.has_header()) {
    return ToGrpc(InvalidArgument("the first message has no header"));
  }
  const v1::SendNetworkRequest::Header header = message.header();
  const absl::Status named = rpc::CheckNamesNoRun(header.command());
  if (!named.ok()) return ToGrpc(named);
  return ToGrpc(supervisor_.named_files().TakeNetwork(
      header, [&]() -> absl::StatusOr<std::optional<std::string>> {
        if (!reader->Read(&message)) return std::optional<std::string>();
        if (!message.has_bytes()) return InvalidArgument("a second header came");
        return std::optional<std::string>(std::move(*message.mutable_bytes()));
      }));
}

grpc::Status SupervisorService::ListPipelines(grpc::ServerContext*,
                                              const v1::ListPipelinesRequest* request,
                                              v1::ListPipelinesResponse* response) {
  auto pipelines = supervisor_.pipelines().List(request->namespace_());
  if (!pipelines.ok()) return ToGrpc(pipelines.status());
  for (v1::Pipeline& pipeline : *pipelines) *response->add_pipelines() = std::move(pipeline);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::GetPipeline(grpc::ServerContext*,
                                            const v1::GetPipelineRequest* request,
                                            v1::GetPipelineResponse* response) {
  auto pipeline = supervisor_.pipelines().Get(request->namespace_(), request->name());
  if (!pipeline.ok()) return ToGrpc(pipeline.status());
  *response->mutable_pipeline() = *std::move(pipeline);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::DeletePipeline(grpc::ServerContext*,
                                               const v1::DeletePipelineRequest* request,
                                               v1::DeletePipelineResponse* response) {
  const auto existed = ForNoRun(request->command(), [&] {
    return supervisor_.removals().DeletePipeline(request->namespace_(), request->name());
  });
  if (!existed.ok()) return ToGrpc(existed.status());
  response->set_existed(*existed);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::ListRuns(grpc::ServerContext*, const v1::ListRunsRequest* request,
                                         v1::ListRunsResponse* response) {
  auto runs = supervisor_.runs().List(request->namespace_(), request->pipeline_name());
  if (!runs.ok()) return ToGrpc(runs.status());
  for (v1::Run& run : *runs) *response->add_runs() = std::move(run);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::GetRun(grpc::ServerContext*, const v1::GetRunRequest* request,
                                       v1::GetRunResponse* response) {
  auto run = supervisor_.run_answers().Get(*request);
  if (!run.ok()) return ToGrpc(run.status());
  *response = *std::move(run);
  return grpc::Status::OK;
}

grpc::ServerWriteReactor<v1::WatchRunResponse>* SupervisorService::WatchRun(
    grpc::CallbackServerContext* context, const v1::WatchRunRequest* request) {
  auto permit = streams_.Admit(context->peer(), static_cast<int64_t>(request->ByteSizeLong()));
  if (!permit.ok()) return new FailedWatch(ToGrpc(permit.status()));
  auto* const watcher = new RunWatcher(*std::move(permit), request->after_sequence());
  const RunWatcher::Opener opener = watcher->opener();
  const RunId run{request->run_id()};
  if (auto feed = supervisor_.conducted_runs().OpenFeed(run)) {
    opener.Open(std::move(feed));
    return watcher;
  }
  // What has ended is read from the database, which must not hold up gRPC's few threads.
  readers_.Submit([this, opener, run] {
    if (opener.IsWanted()) opener.Open(supervisor_.conducted_runs().Watch(run));
  });
  return watcher;
}

grpc::Status SupervisorService::StopRun(grpc::ServerContext*, const v1::StopRunRequest* request,
                                        v1::StopRunResponse* response) {
  auto run = ForNoRun(request->command(),
                      [&] { return supervisor_.run_control().Stop({request->run_id()}); });
  if (!run.ok()) return ToGrpc(run.status());
  *response->mutable_run() = *std::move(run);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::ResumeRun(grpc::ServerContext*, const v1::ResumeRunRequest* request,
                                          v1::ResumeRunResponse* response) {
  auto run = ForNoRun(request->command(),
                      [&] { return supervisor_.run_control().Resume({request->run_id()}); });
  if (!run.ok()) return ToGrpc(run.status());
  *response->mutable_run() = *std::move(run);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::TriggerRun(grpc::ServerContext*,
                                           const v1::TriggerRunRequest* request,
                                           v1::TriggerRunResponse* response) {
  auto asked =
      ForNoRun(request->command(), [&] { return supervisor_.run_control().Trigger(*request); });
  if (!asked.ok()) return ToGrpc(asked.status());
  *response = *std::move(asked);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::GetDecision(grpc::ServerContext*,
                                            const v1::GetDecisionRequest* request,
                                            v1::GetDecisionResponse* response) {
  auto decision = supervisor_.decision_answers().Get(*request);
  if (!decision.ok()) return ToGrpc(decision.status());
  *response = *std::move(decision);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::WatchBacktest(
    grpc::ServerContext*, const v1::WatchBacktestRequest* request,
    grpc::ServerWriter<v1::WatchBacktestResponse>* writer) {
  v1::WatchBacktestResponse response;
  const auto report = [&](const v1::WatchBacktestResponse::Progress& progress) -> absl::Status {
    *response.mutable_progress() = progress;
    return writer->Write(response) ? absl::OkStatus() : Cancelled("no caller waits for it");
  };
  auto tested = supervisor_.backtests().Run(*request, report);
  if (!tested.ok()) return ToGrpc(tested.status());
  *response.mutable_final() = *std::move(tested);
  writer->Write(response);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                                          v1::DeleteRunResponse* response) {
  const auto existed = ForNoRun(
      request->command(), [&] { return supervisor_.removals().DeleteRun({request->run_id()}); });
  if (!existed.ok()) return ToGrpc(existed.status());
  response->set_existed(*existed);
  return grpc::Status::OK;
}

}  // namespace tidemill::supervisor

#include "supervisor/supervisor_service.h"

#include <utility>

#include "rpc/grpc_status.h"
#include "supervisor/run_watcher.h"

namespace tidemill::supervisor {

grpc::Status SupervisorService::SubmitPipeline(grpc::ServerContext*,
                                               const v1::SubmitPipelineRequest* request,
                                               v1::SubmitPipelineResponse* response) {
  auto submitted = supervisor_.Submit(*request);
  if (!submitted.ok()) return ToGrpc(submitted.status());
  *response = *std::move(submitted);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::ListPipelines(grpc::ServerContext*,
                                              const v1::ListPipelinesRequest* request,
                                              v1::ListPipelinesResponse* response) {
  auto pipelines = supervisor_.ListPipelines(request->namespace_());
  if (!pipelines.ok()) return ToGrpc(pipelines.status());
  for (v1::Pipeline& pipeline : *pipelines) *response->add_pipelines() = std::move(pipeline);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::GetPipeline(grpc::ServerContext*,
                                            const v1::GetPipelineRequest* request,
                                            v1::GetPipelineResponse* response) {
  auto pipeline = supervisor_.GetPipeline(request->namespace_(), request->name());
  if (!pipeline.ok()) return ToGrpc(pipeline.status());
  *response->mutable_pipeline() = *std::move(pipeline);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::DeletePipeline(grpc::ServerContext*,
                                               const v1::DeletePipelineRequest* request,
                                               v1::DeletePipelineResponse* response) {
  const auto existed = supervisor_.DeletePipeline(request->namespace_(), request->name());
  if (!existed.ok()) return ToGrpc(existed.status());
  response->set_existed(*existed);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::ListRuns(grpc::ServerContext*, const v1::ListRunsRequest* request,
                                         v1::ListRunsResponse* response) {
  auto runs = supervisor_.ListRuns(request->namespace_(), request->pipeline_name());
  if (!runs.ok()) return ToGrpc(runs.status());
  for (v1::Run& run : *runs) *response->add_runs() = std::move(run);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::GetRun(grpc::ServerContext*, const v1::GetRunRequest* request,
                                       v1::GetRunResponse* response) {
  auto run = supervisor_.GetRun(*request);
  if (!run.ok()) return ToGrpc(run.status());
  *response = *std::move(run);
  return grpc::Status::OK;
}

grpc::ServerWriteReactor<v1::WatchRunResponse>* SupervisorService::WatchRun(
    grpc::CallbackServerContext*, const v1::WatchRunRequest* request) {
  auto feed = supervisor_.Watch({request->run_id()});
  if (!feed.ok()) return new FailedWatch(ToGrpc(feed.status()));
  return new RunWatcher(*std::move(feed), request->after_sequence());
}

grpc::Status SupervisorService::StopRun(grpc::ServerContext*, const v1::StopRunRequest* request,
                                        v1::StopRunResponse* response) {
  auto run = supervisor_.StopRun({request->run_id()});
  if (!run.ok()) return ToGrpc(run.status());
  *response->mutable_run() = *std::move(run);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::ResumeRun(grpc::ServerContext*, const v1::ResumeRunRequest* request,
                                          v1::ResumeRunResponse* response) {
  auto run = supervisor_.ResumeRun({request->run_id()});
  if (!run.ok()) return ToGrpc(run.status());
  *response->mutable_run() = *std::move(run);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::TriggerRun(grpc::ServerContext*,
                                           const v1::TriggerRunRequest* request,
                                           v1::TriggerRunResponse* response) {
  auto asked = supervisor_.TriggerRun(*request);
  if (!asked.ok()) return ToGrpc(asked.status());
  *response = *std::move(asked);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::GetDecision(grpc::ServerContext*,
                                            const v1::GetDecisionRequest* request,
                                            v1::GetDecisionResponse* response) {
  auto decision = supervisor_.GetDecision(*request);
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
    return writer->Write(response) ? absl::OkStatus() : Cancelled("nobody waits for it");
  };
  auto tested = supervisor_.Backtest(*request, report);
  if (!tested.ok()) return ToGrpc(tested.status());
  *response.mutable_final() = *std::move(tested);
  writer->Write(response);
  return grpc::Status::OK;
}

grpc::Status SupervisorService::DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                                          v1::DeleteRunResponse* response) {
  const auto existed = supervisor_.DeleteRun({request->run_id()});
  if (!existed.ok()) return ToGrpc(existed.status());
  response->set_existed(*existed);
  return grpc::Status::OK;
}

}  // namespace tidemill::supervisor

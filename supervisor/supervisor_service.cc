#include "supervisor/supervisor_service.h"

#include <optional>
#include <string>
#include <utility>

#include "rpc/commands.h"
#include "rpc/grpc_status.h"
#include "supervisor/requests/run_watcher.h"

namespace tidemill::supervisor {
namespace {

// Each keeps a processor busy, and the samples of its history in memory.
constexpr int kMaxBacktests = 8;
// Those that wait for a thread among them.
constexpr int kMaxUploads = 64;

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

grpc::ServerReadReactor<v1::SendNetworkRequest>* SupervisorService::SendNetwork(
    grpc::CallbackServerContext* context, v1::SendNetworkResponse*) {
  using Request = v1::SendNetworkRequest;
  auto permit = streams_.AdmitHandler(context->peer(), "SendNetwork", kMaxUploads);
  if (!permit.ok()) return new rpc::RefusedUpload<Request>(ToGrpc(permit.status()));
  return new rpc::Upload<Request>(*std::move(permit), uploads_, {},
                                  [this](const auto& next) { return TakeNetwork(next); });
}

absl::Status SupervisorService::TakeNetwork(const NextPiece& next) {
  ASSIGN_OR_RETURN(const auto first, next());
  if (!first.has_value() || !first->has_header()) {
    return InvalidArgument("the first message has no header");
  }
  RETURN_IF_ERROR(rpc::CheckNamesNoRun(first->header().command()));
  const auto bytes = [&]() -> absl::StatusOr<std::optional<std::string>> {
    ASSIGN_OR_RETURN(auto message, next());
    if (!message.has_value()) return std::optional<std::string>();
    if (!message->has_bytes()) return InvalidArgument("received a second header");
    return std::optional<std::string>(std::move(*message->mutable_bytes()));
  };
  return supervisor_.named_files().TakeNetwork(first->header(), bytes);
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
  auto listed = supervisor_.run_lists().List(*request);
  if (!listed.ok()) return ToGrpc(listed.status());
  *response = *std::move(listed);
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
  // Ended runs are read from the database, which must not block gRPC's few threads.
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
    grpc::ServerContext* context, const v1::WatchBacktestRequest* request,
    grpc::ServerWriter<v1::WatchBacktestResponse>* writer) {
  const auto test = [&](rpc::StreamPermit& permit) -> absl::Status {
    v1::WatchBacktestResponse response;
    const auto report = [&](const v1::WatchBacktestResponse::Progress& progress) -> absl::Status {
      *response.mutable_progress() = progress;
      return permit.Write(*writer, response) ? absl::OkStatus()
                                             : Cancelled("no caller waits for it");
    };
    ASSIGN_OR_RETURN(*response.mutable_final(), supervisor_.backtests().Run(*request, report, [&] {
      return !context->IsCancelled();
    }));
    permit.Write(*writer, response);
    return absl::OkStatus();
  };
  return rpc::WithPlace(streams_, *context, "WatchBacktest", test, kMaxBacktests);
}

grpc::Status SupervisorService::AnnotateRun(grpc::ServerContext*,
                                            const v1::AnnotateRunRequest* request,
                                            v1::AnnotateRunResponse* response) {
  auto run =
      ForNoRun(request->command(), [&] { return supervisor_.annotations().Change(*request); });
  if (!run.ok()) return ToGrpc(run.status());
  *response->mutable_run() = *std::move(run);
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

// The gRPC face of the supervisor: translates, never decides. See supervisor.proto.
#pragma once

#include "base/threads/worker_pool.h"
#include "rpc/stream_budget.h"
#include "rpc/uploads/upload.h"
#include "supervisor/requests/supervisor.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::supervisor {

// Thread-safe. WatchRun and SendNetwork are callback methods, so that a watcher that stalls holds
// no thread, and a slow sender holds one only briefly.
class SupervisorService final
    : public v1::SupervisorService::WithCallbackMethod_SendNetwork<
          v1::SupervisorService::WithCallbackMethod_WatchRun<v1::SupervisorService::Service>> {
 public:
  // `supervisor` must outlive this object.
  SupervisorService(Supervisor& supervisor, const rpc::StreamLimits& limits)
      : supervisor_(supervisor),
        streams_(limits),
        readers_("supervisor.watch", 1),
        uploads_("supervisor.upload", kUploadThreads) {}

  grpc::Status SubmitPipeline(grpc::ServerContext* context,
                              const v1::SubmitPipelineRequest* request,
                              v1::SubmitPipelineResponse* response) override;
  grpc::ServerReadReactor<v1::SendNetworkRequest>* SendNetwork(
      grpc::CallbackServerContext* context, v1::SendNetworkResponse* response) override;
  grpc::Status ListPipelines(grpc::ServerContext* context, const v1::ListPipelinesRequest* request,
                             v1::ListPipelinesResponse* response) override;
  grpc::Status GetPipeline(grpc::ServerContext* context, const v1::GetPipelineRequest* request,
                           v1::GetPipelineResponse* response) override;
  grpc::Status DeletePipeline(grpc::ServerContext* context,
                              const v1::DeletePipelineRequest* request,
                              v1::DeletePipelineResponse* response) override;
  grpc::Status ListRuns(grpc::ServerContext* context, const v1::ListRunsRequest* request,
                        v1::ListRunsResponse* response) override;
  grpc::Status GetRun(grpc::ServerContext* context, const v1::GetRunRequest* request,
                      v1::GetRunResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchRunResponse>* WatchRun(
      grpc::CallbackServerContext* context, const v1::WatchRunRequest* request) override;
  grpc::Status StopRun(grpc::ServerContext* context, const v1::StopRunRequest* request,
                       v1::StopRunResponse* response) override;
  grpc::Status ResumeRun(grpc::ServerContext* context, const v1::ResumeRunRequest* request,
                         v1::ResumeRunResponse* response) override;
  grpc::Status TriggerRun(grpc::ServerContext* context, const v1::TriggerRunRequest* request,
                          v1::TriggerRunResponse* response) override;
  grpc::Status GetDecision(grpc::ServerContext* context, const v1::GetDecisionRequest* request,
                           v1::GetDecisionResponse* response) override;
  grpc::Status WatchBacktest(grpc::ServerContext* context, const v1::WatchBacktestRequest* request,
                             grpc::ServerWriter<v1::WatchBacktestResponse>* writer) override;
  grpc::Status AnnotateRun(grpc::ServerContext* context, const v1::AnnotateRunRequest* request,
                           v1::AnnotateRunResponse* response) override;
  grpc::Status DeleteRun(grpc::ServerContext* context, const v1::DeleteRunRequest* request,
                         v1::DeleteRunResponse* response) override;

 private:
  using NextPiece = rpc::Upload<v1::SendNetworkRequest>::Next;
  static constexpr int kUploadThreads = 8;

  absl::Status TakeNetwork(const NextPiece& next);

  Supervisor& supervisor_;
  rpc::StreamBudget streams_;
  WorkerPool readers_;  // These threads read the events of runs that have ended.
  WorkerPool uploads_;
};

}  // namespace tidemill::supervisor

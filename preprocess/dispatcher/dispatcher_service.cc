#include "preprocess/dispatcher/dispatcher_service.h"

#include <utility>

#include "rpc/callers/job_scope.h"
#include "rpc/commands.h"
#include "rpc/grpc_status.h"

namespace tidemill::preprocess {

grpc::Status DispatcherService::CreateJob(grpc::ServerContext* context,
                                          const v1::CreateJobRequest* request,
                                          v1::CreateJobResponse* response) {
  const auto job_id = dispatcher_.CreateJob(*request, rpc::JobScope::OfCall(*context));
  if (!job_id.ok()) return ToGrpc(job_id.status());
  response->set_job_id(*job_id);
  return grpc::Status::OK;
}

grpc::Status DispatcherService::GetJob(grpc::ServerContext*, const v1::GetJobRequest* request,
                                       v1::GetJobResponse* response) {
  auto job = dispatcher_.GetJob(request->job_id());
  if (!job.ok()) return ToGrpc(job.status());
  *response = *std::move(job);
  return grpc::Status::OK;
}

grpc::Status DispatcherService::FinishJob(grpc::ServerContext* context,
                                          const v1::FinishJobRequest* request,
                                          v1::FinishJobResponse* response) {
  *response->mutable_usage() = dispatcher_.UsageOf(request->job_id());
  return ToGrpc(dispatcher_.FinishJob(request->command(), request->job_id(),
                                      rpc::JobScope::OfCall(*context)));
}

grpc::Status DispatcherService::RegisterWorker(grpc::ServerContext*,
                                               const v1::RegisterWorkerRequest* request,
                                               v1::RegisterWorkerResponse* response) {
  const auto incarnation = dispatcher_.RegisterWorker(*request);
  if (!incarnation.ok()) return ToGrpc(incarnation.status());
  response->set_worker_id(incarnation->member_id);
  response->set_incarnation(incarnation->number);
  return grpc::Status::OK;
}

grpc::Status DispatcherService::DrainWorker(grpc::ServerContext*,
                                            const v1::DrainWorkerRequest* request,
                                            v1::DrainWorkerResponse*) {
  if (const absl::Status named = rpc::CheckNamesNoRun(request->command()); !named.ok()) {
    return ToGrpc(named);
  }
  return ToGrpc(dispatcher_.DrainWorker(request->worker_id()));
}

grpc::Status DispatcherService::ListJobs(grpc::ServerContext*, const v1::ListJobsRequest*,
                                         v1::ListJobsResponse* response) {
  *response = dispatcher_.ListJobs();
  return grpc::Status::OK;
}

grpc::Status DispatcherService::ListWorkers(grpc::ServerContext*, const v1::ListWorkersRequest*,
                                            v1::ListWorkersResponse* response) {
  *response = dispatcher_.ListWorkers();
  return grpc::Status::OK;
}

grpc::ServerUnaryReactor* DispatcherService::ReportProgress(
    grpc::CallbackServerContext* context, const v1::ReportProgressRequest* request,
    v1::ReportProgressResponse* response) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  auto answer = dispatcher_.ReportProgress(*request, rpc::JobScope::OfCall(*context));
  const absl::Status status = answer.status();
  if (answer.ok()) *response = *std::move(answer);
  reactor->Finish(ToGrpc(status));
  return reactor;
}

// gRPC keeps the response and the reactor until Finish(), which Dispatcher brings about even when
// it stops.
grpc::ServerUnaryReactor* DispatcherService::LeaseSplits(grpc::CallbackServerContext* context,
                                                         const v1::LeaseSplitsRequest* request,
                                                         v1::LeaseSplitsResponse* response) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  dispatcher_.Lease(*request, [reactor, response](absl::StatusOr<v1::LeaseSplitsResponse> answer) {
    const absl::Status status = answer.status();
    if (answer.ok()) *response = *std::move(answer);
    reactor->Finish(ToGrpc(status));
  });
  return reactor;
}

}  // namespace tidemill::preprocess

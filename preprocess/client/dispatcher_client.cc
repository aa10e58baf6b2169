#include "preprocess/client/dispatcher_client.h"

#include <utility>

namespace tidemill::preprocess {
namespace {

using Stub = v1::DispatcherService::Stub;

template <typename Request>
void Name(Request& request) {
  request.mutable_command()->set_request_id(rpc::NewRequestId());
}

}  // namespace

DispatcherClient::DispatcherClient(rpc::Peer peer)
    : peer_(std::move(peer)), stub_(v1::DispatcherService::NewStub(rpc::Connect(peer_))) {}

absl::StatusOr<int64_t> DispatcherClient::CreateJob(const v1::CreateJobRequest& request) {
  v1::CreateJobResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::CreateJob, request, &response));
  return response.job_id();
}

absl::StatusOr<v1::GetJobResponse> DispatcherClient::GetJob(int64_t job_id) {
  v1::GetJobRequest request;
  request.set_job_id(job_id);
  v1::GetJobResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::GetJob, request, &response));
  return response;
}

absl::Status DispatcherClient::FinishJob(int64_t job_id) {
  v1::FinishJobRequest request;
  Name(request);
  request.set_job_id(job_id);
  v1::FinishJobResponse response;
  return rpc::Call(peer_, *stub_, &Stub::FinishJob, request, &response);
}

absl::StatusOr<v1::ReportProgressResponse> DispatcherClient::ReportProgress(
    const v1::ReportProgressRequest& request, std::chrono::milliseconds deadline) {
  rpc::Peer peer = peer_;
  peer.deadline = deadline;
  v1::ReportProgressResponse response;
  RETURN_IF_ERROR(rpc::Call(peer, *stub_, &Stub::ReportProgress, request, &response));
  return response;
}

absl::StatusOr<v1::WorkerIncarnation> DispatcherClient::RegisterWorker(
    const v1::RegisterWorkerRequest& request) {
  v1::RegisterWorkerResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::RegisterWorker, request, &response));
  v1::WorkerIncarnation registered;
  registered.set_worker_id(response.worker_id());
  registered.set_incarnation(response.incarnation());
  return registered;
}

absl::StatusOr<v1::LeaseSplitsResponse> DispatcherClient::LeaseSplits(
    const v1::LeaseSplitsRequest& request) {
  v1::LeaseSplitsResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::LeaseSplits, request, &response));
  return response;
}

absl::Status DispatcherClient::DrainWorker(int64_t worker_id) {
  v1::DrainWorkerRequest request;
  Name(request);
  request.set_worker_id(worker_id);
  v1::DrainWorkerResponse response;
  return rpc::Call(peer_, *stub_, &Stub::DrainWorker, request, &response);
}

absl::StatusOr<std::vector<v1::Job>> DispatcherClient::ListJobs() {
  v1::ListJobsResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::ListJobs, v1::ListJobsRequest(), &response));
  return std::vector<v1::Job>(response.jobs().begin(), response.jobs().end());
}

absl::StatusOr<std::vector<v1::Worker>> DispatcherClient::ListWorkers() {
  v1::ListWorkersResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &Stub::ListWorkers, v1::ListWorkersRequest(), &response));
  return std::vector<v1::Worker>(response.workers().begin(), response.workers().end());
}

}  // namespace tidemill::preprocess

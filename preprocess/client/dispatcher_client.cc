#include "preprocess/client/dispatcher_client.h"

#include <utility>

namespace tidemill::preprocess {
namespace {

using Stub = v1::DispatcherService::Stub;

template <typename Request>
void NameRequest(Request& request) {
  rpc::v1::Command& command = *request.mutable_command();
  if (command.request_id().empty()) command.set_request_id(rpc::NewRequestId());
}

}  // namespace

DispatcherClient::DispatcherClient(rpc::Peer peer)
    : peer_(std::move(peer)), stub_(v1::DispatcherService::NewStub(rpc::Connect(peer_))) {}

rpc::Peer DispatcherClient::Within(std::chrono::milliseconds deadline) const {
  rpc::Peer peer = peer_;
  if (deadline > std::chrono::milliseconds{0}) peer.deadline = deadline;
  return peer;
}

absl::StatusOr<int64_t> DispatcherClient::CreateJob(v1::CreateJobRequest request) {
  NameRequest(request);
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

absl::StatusOr<v1::ReportProgressResponse> DispatcherClient::ReportProgress(
    v1::ReportProgressRequest request, std::chrono::milliseconds deadline) {
  NameRequest(request);
  v1::ReportProgressResponse response;
  RETURN_IF_ERROR(rpc::Call(Within(deadline), *stub_, &Stub::ReportProgress, request, &response));
  return response;
}

absl::StatusOr<v1::FinishJobResponse> DispatcherClient::FinishJob(
    v1::FinishJobRequest request, std::chrono::milliseconds deadline) {
  NameRequest(request);
  v1::FinishJobResponse response;
  RETURN_IF_ERROR(rpc::Call(Within(deadline), *stub_, &Stub::FinishJob, request, &response));
  return response;
}

absl::StatusOr<v1::WorkerIncarnation> DispatcherClient::RegisterWorker(
    v1::RegisterWorkerRequest request) {
  NameRequest(request);
  v1::RegisterWorkerResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::RegisterWorker, request, &response));
  v1::WorkerIncarnation incarnation;
  incarnation.set_worker_id(response.worker_id());
  incarnation.set_incarnation(response.incarnation());
  return incarnation;
}

absl::StatusOr<v1::LeaseSplitsResponse> DispatcherClient::LeaseSplits(
    v1::LeaseSplitsRequest request) {
  NameRequest(request);
  v1::LeaseSplitsResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::LeaseSplits, request, &response));
  return response;
}

absl::Status DispatcherClient::DrainWorker(int64_t worker_id, std::chrono::milliseconds deadline) {
  v1::DrainWorkerRequest request;
  NameRequest(request);
  request.set_worker_id(worker_id);
  v1::DrainWorkerResponse response;
  return rpc::Call(Within(deadline), *stub_, &Stub::DrainWorker, request, &response);
}

absl::StatusOr<v1::ListJobsResponse> DispatcherClient::ListJobs() {
  v1::ListJobsResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &Stub::ListJobs, v1::ListJobsRequest{}, &response));
  return response;
}

absl::StatusOr<v1::ListWorkersResponse> DispatcherClient::ListWorkers() {
  v1::ListWorkersResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &Stub::ListWorkers, v1::ListWorkersRequest{}, &response));
  return response;
}

}  // namespace tidemill::preprocess

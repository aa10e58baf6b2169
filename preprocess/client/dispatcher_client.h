// Calls of workers, consumers and operators to the dispatcher.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/preprocess/v1/preprocess.grpc.pb.h"

namespace tidemill::preprocess {

// All calls retry while the dispatcher is UNAVAILABLE, until the peer's deadline. The codes are as
// in preprocess.proto. A request without a request id gets a new one, which all retries of the call
// share. Thread-safe.
class DispatcherClient {
 public:
  static constexpr char kService[] = "preprocess";

  explicit DispatcherClient(rpc::Peer peer);

  // Returns the job's id.
  absl::StatusOr<int64_t> CreateJob(v1::CreateJobRequest request);

  absl::StatusOr<v1::GetJobResponse> GetJob(int64_t job_id);

  // A `deadline`, here and below, replaces the peer's.
  absl::StatusOr<v1::ReportProgressResponse> ReportProgress(
      v1::ReportProgressRequest request, std::chrono::milliseconds deadline = {});

  absl::StatusOr<v1::FinishJobResponse> FinishJob(v1::FinishJobRequest request,
                                                  std::chrono::milliseconds deadline = {});

  absl::StatusOr<v1::WorkerIncarnation> RegisterWorker(v1::RegisterWorkerRequest request);

  // After any failure except NOT_FOUND, it is unknown whether splits were leased. The worker must
  // then call again with the same request id, or register again. Otherwise splits of which it was
  // not informed would stay leased to it.
  absl::StatusOr<v1::LeaseSplitsResponse> LeaseSplits(v1::LeaseSplitsRequest request);

  absl::Status DrainWorker(int64_t worker_id, std::chrono::milliseconds deadline = {});

  absl::StatusOr<v1::ListJobsResponse> ListJobs();

  absl::StatusOr<v1::ListWorkersResponse> ListWorkers();

 private:
  rpc::Peer Within(std::chrono::milliseconds deadline) const;

  const rpc::Peer peer_;
  const std::unique_ptr<v1::DispatcherService::Stub> stub_;
};

}  // namespace tidemill::preprocess

// How workers, consumers and the command line see the dispatcher of preprocessing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/preprocess/v1/preprocess.grpc.pb.h"

namespace tidemill::preprocess {

// Every method is safe to repeat; UNAVAILABLE is retried within the peer's deadline. Errors are
// those of preprocess.proto. Thread-safe.
class DispatcherClient {
 public:
  explicit DispatcherClient(rpc::Peer peer);

  // The job's id.
  absl::StatusOr<int64_t> CreateJob(const v1::CreateJobRequest& request);
  absl::StatusOr<v1::GetJobResponse> GetJob(int64_t job_id);
  absl::Status FinishJob(int64_t job_id);

  // Within `deadline` instead of the peer's: who reports again and again need not wait long.
  absl::StatusOr<v1::ReportProgressResponse> ReportProgress(
      const v1::ReportProgressRequest& request, std::chrono::milliseconds deadline);

  absl::StatusOr<v1::WorkerIncarnation> RegisterWorker(const v1::RegisterWorkerRequest& request);
  absl::StatusOr<v1::LeaseSplitsResponse> LeaseSplits(const v1::LeaseSplitsRequest& request);
  absl::Status DrainWorker(int64_t worker_id);

  absl::StatusOr<std::vector<v1::Job>> ListJobs();
  absl::StatusOr<std::vector<v1::Worker>> ListWorkers();

 private:
  const rpc::Peer peer_;
  const std::unique_ptr<v1::DispatcherService::Stub> stub_;
};

}  // namespace tidemill::preprocess

// The gRPC face of Dispatcher. It translates and never decides. See preprocess.proto.
#pragma once

#include "preprocess/dispatcher/dispatcher.h"
#include "tidemill/preprocess/v1/preprocess.grpc.pb.h"

namespace tidemill::preprocess {

// Frequent calls that rarely wait for PostgreSQL are answered without a waiting thread. All others
// are synchronous.
using DispatcherFace = v1::DispatcherService::WithCallbackMethod_ReportProgress<
    v1::DispatcherService::WithCallbackMethod_LeaseSplits<v1::DispatcherService::Service>>;

class DispatcherService final : public DispatcherFace {
 public:
  explicit DispatcherService(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  grpc::Status CreateJob(grpc::ServerContext*, const v1::CreateJobRequest* request,
                         v1::CreateJobResponse* response) override;
  grpc::Status GetJob(grpc::ServerContext*, const v1::GetJobRequest* request,
                      v1::GetJobResponse* response) override;
  grpc::Status FinishJob(grpc::ServerContext*, const v1::FinishJobRequest* request,
                         v1::FinishJobResponse*) override;
  grpc::Status RegisterWorker(grpc::ServerContext*, const v1::RegisterWorkerRequest* request,
                              v1::RegisterWorkerResponse* response) override;
  grpc::Status DrainWorker(grpc::ServerContext*, const v1::DrainWorkerRequest* request,
                           v1::DrainWorkerResponse*) override;
  grpc::Status ListJobs(grpc::ServerContext*, const v1::ListJobsRequest*,
                        v1::ListJobsResponse* response) override;
  grpc::Status ListWorkers(grpc::ServerContext*, const v1::ListWorkersRequest*,
                           v1::ListWorkersResponse* response) override;
  grpc::ServerUnaryReactor* ReportProgress(grpc::CallbackServerContext* context,
                                           const v1::ReportProgressRequest* request,
                                           v1::ReportProgressResponse* response) override;
  grpc::ServerUnaryReactor* LeaseSplits(grpc::CallbackServerContext* context,
                                        const v1::LeaseSplitsRequest* request,
                                        v1::LeaseSplitsResponse* response) override;

 private:
  Dispatcher& dispatcher_;
};

}  // namespace tidemill::preprocess

// The gRPC face of scaling: translates, never decides. See scaling.proto.
#pragma once

#include <atomic>

#include "preprocess/scaling/worker_scaling.h"
#include "tidemill/preprocess/v1/scaling.grpc.pb.h"

namespace tidemill::preprocess {

// Thread-safe.
class ScalingService final : public v1::ScalingService::Service {
 public:
  // From here on, it answers with what this does. It must outlive the server.
  void Serve(WorkerScaling& scaling) { scaling_ = &scaling; }

  grpc::Status GetScaling(grpc::ServerContext*, const v1::GetScalingRequest* request,
                          v1::GetScalingResponse* response) override;

 private:
  std::atomic<WorkerScaling*> scaling_ = nullptr;
};

}  // namespace tidemill::preprocess

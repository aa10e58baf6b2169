// The gRPC face of the selector: translates, never decides. See selector.proto.
#pragma once

#include "base/threads/worker_pool.h"
#include "rpc/stream_budget.h"
#include "rpc/streams/frame_stream.h"
#include "selector/selector.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"

namespace tidemill::selector {

// Thread-safe. ReadTrainingSet sends frames of the mapped file. A reader that stalls therefore
// holds neither a thread nor memory.
class SelectorService final : public rpc::FrameService<v1::SelectorService> {
 public:
  // `selector` must outlive this object.
  SelectorService(Selector& selector, const rpc::StreamLimits& limits);

  grpc::Status SealTrainingSet(grpc::ServerContext* context,
                               const v1::SealTrainingSetRequest* request,
                               v1::SealTrainingSetResponse* response) override;
  grpc::Status GetTrainingSet(grpc::ServerContext* context,
                              const v1::GetTrainingSetRequest* request,
                              v1::GetTrainingSetResponse* response) override;
  grpc::Status ListTrainingSets(grpc::ServerContext* context,
                                const v1::ListTrainingSetsRequest* request,
                                v1::ListTrainingSetsResponse* response) override;
  grpc::Status CompareTrainingSets(grpc::ServerContext* context,
                                   const v1::CompareTrainingSetsRequest* request,
                                   v1::CompareTrainingSetsResponse* response) override;
  grpc::Status FindTrainingSets(grpc::ServerContext* context,
                                const v1::FindTrainingSetsRequest* request,
                                grpc::ServerWriter<v1::FindTrainingSetsResponse>* writer) override;
  grpc::Status RetireTrainingSets(grpc::ServerContext* context,
                                  const v1::RetireTrainingSetsRequest* request,
                                  v1::RetireTrainingSetsResponse* response) override;
  grpc::Status DeleteRun(grpc::ServerContext* context, const v1::DeleteRunRequest* request,
                         v1::DeleteRunResponse* response) override;

 private:
  Selector& selector_;
  rpc::StreamBudget streams_;
  WorkerPool senders_;
};

}  // namespace tidemill::selector

// The gRPC face of the selector: translates, never decides. See selector.proto.
#pragma once

#include "selector/selector.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"

namespace tidemill::selector {

// Thread-safe. ReadTrainingSet is a callback method, so that a reader that stalls holds no thread.
class SelectorService final
    : public v1::SelectorService::WithCallbackMethod_ReadTrainingSet<v1::SelectorService::Service> {
 public:
  // `selector` must outlive this object.
  explicit SelectorService(Selector& selector);

  grpc::Status SealTrainingSet(grpc::ServerContext* context,
                               const v1::SealTrainingSetRequest* request,
                               v1::SealTrainingSetResponse* response) override;
  grpc::Status GetTrainingSet(grpc::ServerContext* context,
                              const v1::GetTrainingSetRequest* request,
                              v1::GetTrainingSetResponse* response) override;
  grpc::ServerWriteReactor<v1::ReadTrainingSetResponse>* ReadTrainingSet(
      grpc::CallbackServerContext* context, const v1::ReadTrainingSetRequest* request) override;
  grpc::Status RetireTrainingSets(grpc::ServerContext* context,
                                  const v1::RetireTrainingSetsRequest* request,
                                  v1::RetireTrainingSetsResponse* response) override;
  grpc::Status DeleteRun(grpc::ServerContext* context, const v1::DeleteRunRequest* request,
                         v1::DeleteRunResponse* response) override;

 private:
  Selector& selector_;
};

}  // namespace tidemill::selector

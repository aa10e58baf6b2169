// gRPC face of Evaluator: translate, call, translate back. See evaluator.proto.
#pragma once

#include "evaluator/evaluator.h"
#include "tidemill/evaluator/v1/evaluator.grpc.pb.h"

namespace tidemill::evaluator {

class EvaluatorService final : public v1::EvaluatorService::Service {
 public:
  explicit EvaluatorService(Evaluator& evaluator) : evaluator_(evaluator) {}

  grpc::Status StartEvaluation(grpc::ServerContext*, const v1::StartEvaluationRequest* request,
                               v1::StartEvaluationResponse*) override;
  grpc::Status WatchEvaluation(grpc::ServerContext* context,
                               const v1::WatchEvaluationRequest* request,
                               grpc::ServerWriter<v1::WatchEvaluationResponse>* writer) override;
  grpc::Status ListEvaluations(grpc::ServerContext*, const v1::ListEvaluationsRequest* request,
                               grpc::ServerWriter<v1::ListEvaluationsResponse>* writer) override;
  grpc::Status DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                         v1::DeleteRunResponse* response) override;

 private:
  Evaluator& evaluator_;
};

}  // namespace tidemill::evaluator

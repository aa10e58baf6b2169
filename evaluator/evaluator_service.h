// gRPC face of Evaluator and ColumnFiles: translate, call, translate back. See evaluator.proto.
#pragma once

#include "base/worker_pool.h"
#include "evaluator/column_files.h"
#include "evaluator/evaluator.h"
#include "rpc/stream_budget.h"
#include "tidemill/evaluator/v1/evaluator.grpc.pb.h"

namespace tidemill::evaluator {

// Thread-safe. ReadModelColumns is a callback method that sends frames of the mapped file: a reader
// that stalls holds neither a thread nor memory. One that waits for a job holds a thread.
class EvaluatorService final : public v1::EvaluatorService::WithRawCallbackMethod_ReadModelColumns<
                                   v1::EvaluatorService::Service> {
 public:
  // Both must outlive this object.
  EvaluatorService(Evaluator& evaluator, ColumnFiles& columns, const rpc::StreamLimits& limits);

  grpc::Status StartEvaluation(grpc::ServerContext*, const v1::StartEvaluationRequest* request,
                               v1::StartEvaluationResponse*) override;
  grpc::Status WatchEvaluation(grpc::ServerContext* context,
                               const v1::WatchEvaluationRequest* request,
                               grpc::ServerWriter<v1::WatchEvaluationResponse>* writer) override;
  grpc::Status ListEvaluations(grpc::ServerContext*, const v1::ListEvaluationsRequest* request,
                               grpc::ServerWriter<v1::ListEvaluationsResponse>* writer) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* ReadModelColumns(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) override;
  grpc::Status DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                         v1::DeleteRunResponse* response) override;

 private:
  Evaluator& evaluator_;
  ColumnFiles& columns_;
  rpc::StreamBudget streams_;
  WorkerPool senders_;
};

}  // namespace tidemill::evaluator

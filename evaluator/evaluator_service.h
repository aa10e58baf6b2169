// The gRPC face of Evaluator and ColumnFiles. It translates and never decides. See evaluator.proto.
#pragma once

#include "base/threads/worker_pool.h"
#include "evaluator/column_files.h"
#include "evaluator/evaluator.h"
#include "rpc/frame_stream.h"
#include "rpc/stream_budget.h"
#include "tidemill/evaluator/v1/evaluator.grpc.pb.h"

namespace tidemill::evaluator {

// Thread-safe. ReadModelColumns sends frames of the mapped file. A reader that stalls therefore
// holds neither a thread nor memory. A reader that waits for a job holds a thread.
class EvaluatorService final : public rpc::FrameService<v1::EvaluatorService> {
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
  grpc::Status DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                         v1::DeleteRunResponse* response) override;

 private:
  Evaluator& evaluator_;
  ColumnFiles& columns_;
  rpc::StreamBudget streams_;
  WorkerPool senders_;
};

}  // namespace tidemill::evaluator
